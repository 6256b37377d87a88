import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox({ dialect: 'dynamics' });
const absent = '00c0ffee-0000-4000-8000-000000000001';

describe.each([
  ['salesOrderLines', 'salesOrders'],
  ['salesQuoteLines', 'salesQuotes'],
])('writes of %s', (set, owners) => {
  const flat = `${company}/${set}`;
  const read = async (id: string): Promise<Json> =>
    (await sandbox.get(`${company}/${owners}(${id})?$expand=${set}`)).body;
  const createOwner = async () => {
    const line = { lineObjectNumber: '1004', quantity: 1, unitPrice: 10 };
    const { body } = await sandbox.post(`${company}/${owners}`, {
      customerNumber: 'C10000',
      [set]: [line, line],
    });
    const owner = await read(body.id);
    return { owner, nested: `${company}/${owners}(${owner.id})/${set}` };
  };

  test('A.lines.14 The lines below a document are its own; another document has none of them', async () => {
    const { owner, nested } = await createOwner();
    const other = await createOwner();
    const [line] = owner[set];

    expect(await sandbox.list(nested)).toEqual(owner[set]);
    expect(await sandbox.list(`${nested}?$filter=sequence gt 10000&$orderby=sequence desc`)).toEqual(
      owner[set].slice(1).reverse(),
    );
    expect(owner[set].map((one: Json) => one.sequence)).toEqual([10_000, 20_000]);
    expect((await sandbox.get(`${nested}(${line.id})`)).body).toMatchObject(line);
    expect((await sandbox.get(`${other.nested}(${line.id})`)).status).toBe(404);
    expect((await sandbox.patch(`${other.nested}(${line.id})`, '*', { quantity: 2 })).status).toBe(404);
    expect(await sandbox.list(`${company}/${owners}(${absent})/${set}`)).toEqual([]);
  });

  test('A.lines.15 A POST adds a line after the last, with an id of the service, and totals follow', async () => {
    const { owner, nested } = await createOwner();
    const added = await sandbox.post(nested, { lineObjectNumber: '1004', quantity: 2, unitPrice: 5 });
    const after = await read(owner.id);

    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({ sequence: 30_000, documentId: owner.id, amountExcludingTax: 10 });
    expect(after[set]).toMatchObject([...owner[set], { id: added.body.id }]);
    expect(after['@odata.etag']).not.toBe(owner['@odata.etag']);
    expect([owner.totalAmountExcludingTax, after.totalAmountExcludingTax]).toEqual([20, 30]);
    expect((await sandbox.post(nested, { id: absent, lineObjectNumber: '1004' })).status).toBe(400);
  });

  test.each([
    [
      'a number that is taken',
      { sequence: 10_000 },
      'You cannot insert a line because a line already exists.',
    ],
    ['no item', { lineObjectNumber: 'NONE' }, 'does not match'],
  ])('A.lines.16 A POST with %s is 400 and adds nothing', async (_what, values, message) => {
    const { owner, nested } = await createOwner();
    const { status, body } = await sandbox.post(nested, { lineObjectNumber: '1004', ...values });

    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
    expect(await read(owner.id)).toEqual(owner);
  });

  test('A.lines.17 A POST to the flat set names the document, which must exist', async () => {
    const { owner } = await createOwner();
    const line = { lineObjectNumber: '1004', quantity: 1 };
    const missing = await sandbox.post(flat, { ...line, documentId: absent });

    expect((await sandbox.post(flat, { ...line, documentId: owner.id })).status).toBe(201);
    expect((await sandbox.post(flat, line)).status).toBe(400);
    expect([missing.status, missing.body.error.message]).toEqual([
      400,
      expect.stringContaining('No document with the specified ID exists.'),
    ]);
    expect((await read(owner.id))[set]).toHaveLength(3);
  });

  test('A.lines.18 A PATCH changes the tag of its line and of the document, not that of another line', async () => {
    const { owner, nested } = await createOwner();
    const [first, second] = owner[set];
    const { status, body } = await sandbox.patch(`${nested}(${first.id})`, first['@odata.etag'], {
      quantity: 3,
    });
    const after = await read(owner.id);

    expect(status).toBe(200);
    expect(body).toMatchObject({ quantity: 3, amountExcludingTax: 30, sequence: 10_000 });
    expect(body['@odata.etag']).not.toBe(first['@odata.etag']);
    expect(after[set][1]).toEqual(second);
    expect(after['@odata.etag']).not.toBe(owner['@odata.etag']);
    expect(after.totalAmountExcludingTax).toBe(40);
    expect((await sandbox.patch(`${flat}(${first.id})`, first['@odata.etag'], { quantity: 4 })).status).toBe(
      409,
    );
    expect((await sandbox.patch(`${flat}(${first.id})`, '', { quantity: 4 })).status).toBe(400);
  });

  test.each([
    [{ sequence: 5 }, 'The value for sequence cannot be modified. Delete and insert the line again.'],
    [{ lineObjectNumber: '1000' }, 'The value for "lineObjectNumber" cannot be modified.'],
    [{ documentId: absent }, 'The value for "documentId" cannot be modified.'],
  ])('A.lines.19 A PATCH of what a line keeps (%j) is 400', async (values, message) => {
    const { owner, nested } = await createOwner();
    const { status, body } = await sandbox.patch(`${nested}(${owner[set][0].id})`, '*', values);

    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
    expect(await read(owner.id)).toEqual(owner);
  });

  test('A.lines.20 A DELETE with the tag of the line removes it, and totals follow', async () => {
    const { owner, nested } = await createOwner();
    const [first, second] = owner[set];
    const remove = (tag: string) =>
      sandbox.send('DELETE', `${nested}(${first.id})`, { headers: { 'if-match': tag } });

    expect((await remove(second['@odata.etag'])).status).toBe(409);
    expect((await remove(first['@odata.etag'])).status).toBe(204);
    expect((await remove(first['@odata.etag'])).status).toBe(404);
    expect(await read(owner.id)).toMatchObject({ [set]: [second], totalAmountExcludingTax: 10 });
  });
});
