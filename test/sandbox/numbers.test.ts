import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const seeded = '1234567890123456.789';
const items = `${company}/items`;
const filtered = (filter: string) => `${items}?$filter=${encodeURIComponent(filter)}`;

async function dearItem(): Promise<string> {
  const [item] = await sandbox.list(filtered(`unitPrice eq ${seeded}`));
  return `${items}(${item.id})`;
}

/** A PATCH whose body is written here, so that no client rounds its numbers. */
const change = (path: string, body: string) =>
  sandbox.send('PATCH', path, {
    headers: { 'if-match': '*', 'content-type': 'application/json' },
    body,
  });

describe('long numbers', () => {
  test('A.number.1 A price of 19 digits is returned as a JSON number with all digits', async () => {
    const path = await dearItem();

    for (const address of [path, `${path}?$select=unitPrice`, filtered('unitPrice gt 1000000')]) {
      expect((await sandbox.get(address)).text, address).toContain(`"unitPrice":${seeded}`);
    }
  });

  test.each(['98765432109876543.21', '12345678901234567890', '0.12345678901234567891', '-9007199254740993'])(
    'A.number.2 A PATCH with %s stores every digit',
    async (digits) => {
      const path = await dearItem();
      const reply = await change(path, `{"unitPrice":${digits},"unitCost":2.5}`);

      expect(reply.status).toBe(200);
      expect(reply.text).toContain(`"unitPrice":${digits},`);
      expect(reply.body.unitCost).toBe(2.5);
      expect((await sandbox.get(path)).text).toContain(`"unitPrice":${digits},`);
    },
  );

  test('A.number.3 A filter compares every digit', async () => {
    const found = async (filter: string) => (await sandbox.list(filtered(filter))).length;
    const near = '1234567890123456.788';

    // Both are the same double.
    expect(Number(near)).toBe(Number(seeded));
    expect(await found(`unitPrice eq ${seeded}`)).toBe(1);
    expect(await found(`unitPrice eq ${seeded}000`)).toBe(1);
    expect(await found(`unitPrice eq ${near}`)).toBe(0);
    expect(await found(`unitPrice gt ${near}`)).toBe(1);
    expect(await found(`unitPrice gt ${seeded}`)).toBe(0);
    expect(await found(`unitPrice lt ${seeded}`)).toBe(119);
  });

  test('A.number.4 $orderby compares every digit', async () => {
    const [first, second] = await sandbox.list(`${items}?$filter=blocked eq false&$top=2`);
    await change(`${items}(${first.id})`, '{"unitPrice":1234567890123456.788}');
    await change(`${items}(${second.id})`, '{"unitPrice":1234567890123456.790}');
    const dearest = await sandbox.list(`${items}?$orderby=unitPrice desc&$top=3`);

    expect(dearest.map((one) => one.id)).toEqual([second.id, expect.any(String), first.id]);
  });

  test('A.number.5 A line keeps the digits of its price', async () => {
    const [customer] = await sandbox.list(`${company}/customers?$top=1`);
    const [item] = await sandbox.list(filtered(`unitPrice eq ${seeded}`));
    const line = { itemId: item.id, quantity: 1 };
    const made = await sandbox.post(`${company}/salesOrders`, {
      customerId: customer.id,
      documentLines: [line],
    });

    expect(made.status).toBe(201);
    expect(made.text).toContain(`"unitPrice":${seeded}`);
  });

  test('A.number.6 Text that looks like a long number stays text', async () => {
    const path = await dearItem();
    const reply = await change(path, '{"displayName":"1234567890123456789 \\"isLosslessNumber\\":true"}');

    expect(reply.body.displayName).toBe('1234567890123456789 "isLosslessNumber":true');
  });

  test.each(['1e999', '01', '1.', '--1', '"1"'])(
    'A.number.7 %s is refused or kept, never changed',
    async (digits) => {
      const path = await dearItem();
      const reply = await change(path, `{"unitPrice":${digits}}`);

      if (reply.status === 200) expect(reply.text).toContain(`"unitPrice":${digits},`);
      else expect(reply.status).toBe(400);
    },
  );
});
