import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const dynamics = useSandbox({ dialect: 'dynamics' });
const absent = '00c0ffee-0000-4000-8000-000000000001';

describe.each([
  ['salesOrderLines', 'salesOrders'],
  ['salesQuoteLines', 'salesQuotes'],
])('writes of %s', (set, owners) => {
  const sandbox = dynamics;
  const flat = `${company}/${set}`;
  const read = async (id: string): Promise<Json> =>
    (await sandbox.get(`${company}/${owners}(${id})?$expand=${set}`)).body;
  const createOwner = async () => {
    const line = { lineObjectNumber: '1004', quantity: 1, unitPrice: 10 };
    const body = { customerNumber: 'C10000', [set]: [line, line] };
    const owner = await read((await sandbox.post(`${company}/${owners}`, body)).body.id);
    return { owner, nested: `${company}/${owners}(${owner.id})/${set}` };
  };

  test('A.lines.14 The lines below a document are its own; another document has none of them', async () => {
    const { owner, nested } = await createOwner();
    const other = await createOwner();
    const [line, second] = owner[set];

    expect(await sandbox.list(`${nested}?$filter=sequence gt 10000&$orderby=sequence desc`)).toEqual([
      second,
    ]);
    expect((await sandbox.get(`${nested}(${line.id})`)).body).toMatchObject(line);
    expect((await sandbox.get(`${flat}(${line.id})`)).body).toMatchObject(line);
    expect((await sandbox.get(`${other.nested}(${line.id})`)).status).toBe(404);
    expect((await sandbox.patch(`${other.nested}(${line.id})`, '*', { quantity: 2 })).status).toBe(404);
    expect(await sandbox.list(`${company}/${owners}(${absent})/${set}`)).toEqual([]);
  });

  test('A.lines.18 A PATCH changes the tag of its line and of the document, not that of another line', async () => {
    const { owner, nested } = await createOwner();
    const [first, second] = owner[set];
    const change = (path: string, tag: string) => sandbox.patch(`${path}(${first.id})`, tag, { quantity: 3 });
    const { body } = await change(nested, first['@odata.etag']);
    const after = await read(owner.id);

    expect(body).toMatchObject({ quantity: 3, amountExcludingTax: 30, sequence: 10_000 });
    expect(after[set][1]).toEqual(second);
    expect(after['@odata.etag']).not.toBe(owner['@odata.etag']);
    expect(after.totalAmountExcludingTax).toBe(40);
    expect((await change(flat, first['@odata.etag'])).status).toBe(409);
    expect((await change(flat, '')).status).toBe(400);
  });
});
