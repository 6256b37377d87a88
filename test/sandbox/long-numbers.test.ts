import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

describe('long numbers', () => {
  const seeded = '1234567890123456.789';
  const items = `${company}/items`;
  const change = (id: string, body: string) =>
    sandbox.send('PATCH', `${items}(${id})`, {
      headers: { 'if-match': '*', 'content-type': 'application/json' },
      body,
    });

  test.each(['98765432109876543.21', '-9007199254740993'])(
    'A.number.2 A PATCH with %s stores every digit',
    async (digits) => {
      const { id } = await sandbox.first('items', `unitPrice eq ${seeded}`);
      const reply = await change(id, `{"unitPrice":${digits},"unitCost":2.5}`);

      expect(reply.text).toContain(`"unitPrice":${digits},`);
      expect(reply.body.unitCost).toBe(2.5);
      expect((await sandbox.get(`${items}(${id})`)).text).toContain(`"unitPrice":${digits},`);
    },
  );

  test('A.number.3 A filter and $orderby compare every digit', async () => {
    const near = '1234567890123456.788';
    const count = async (filter: string) =>
      (await sandbox.list(`${items}?$filter=unitPrice ${filter}`)).length;
    // Both are the same double.
    expect(Number(near)).toBe(Number(seeded));
    expect([await count(`eq ${seeded}`), await count(`eq ${near}`), await count(`gt ${near}`)]).toEqual([
      1, 0, 1,
    ]);

    const [one, other] = await sandbox.list(`${items}?$filter=blocked eq false&$top=2`);
    await change(one.id, `{"unitPrice":${near}}`);
    await change(other.id, '{"unitPrice":1234567890123456.790}');
    const dearest = await sandbox.list(`${items}?$orderby=unitPrice desc&$top=3`);
    expect(dearest.map(({ id }) => id)).toEqual([other.id, expect.any(String), one.id]);
  });
});
