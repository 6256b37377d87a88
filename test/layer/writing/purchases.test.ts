import { describe, expect } from 'vitest';
import { inputTypeOf } from '../../support/input-types.ts';
import type { Json } from '../../support/json.ts';
import { type TestLayer, test } from '../../support/layer.ts';

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Carries out the mutation of one record of a type. */
async function write(layer: TestLayer, name: string, one: string, input: Json, fields: string) {
  const gone = name.startsWith('delete') ? ' deletedId' : '';
  const { data, errors } = await layer.query(
    `mutation ($input: ${inputTypeOf(name)}!) {
      ${name}(input: $input) { ${one} { ${fields} } userErrors { code message path }${gone} }
    }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data[name];
}

describe.for([
  [
    'vendor',
    { displayName: 'Fram', city: 'Oslo', blocked: 'Payment', taxLiable: true },
    { displayName: 'Fram 2', website: 'https://fram.example', blocked: null },
  ],
  [
    'contact',
    { displayName: 'Ada Berg', jobTitle: 'Buyer', email: 'ada@mail.example' },
    { jobTitle: 'Head of purchasing', city: null },
  ],
] as const)('a %s', ([one, created, patch]) => {
  const type = capital(one);
  const fields = (values: object) => `id number etag lastModifiedDateTime ${Object.keys(values).join(' ')}`;

  test('is created, changed and deleted, with one call each', async ({ layer, sandbox }) => {
    await sandbox.forgetCalls();
    const made = await write(layer, `create${type}`, one, created, fields(created));
    expect(made.userErrors).toEqual([]);
    expect(made[one]).toMatchObject({ ...created, number: expect.stringMatching(/\d/) });
    const { id, etag } = made[one];

    const changed = await write(layer, `update${type}`, one, { id, ifMatch: etag, patch }, fields(patch));
    expect(changed.userErrors).toEqual([]);
    const cleared = one === 'vendor' ? { blocked: null } : {};
    expect(changed[one]).toMatchObject({ ...patch, ...cleared });

    const stale = await write(layer, `delete${type}`, one, { id, ifMatch: etag }, 'id');
    expect(stale).toMatchObject({ deletedId: null, userErrors: [{ code: 'STALE_RECORD' }] });
    const gone = await write(layer, `delete${type}`, one, { id, ifMatch: changed[one].etag }, 'id');
    expect(gone).toEqual({ [one]: null, deletedId: id, userErrors: [] });
    const methods = (await sandbox.calls()).map(({ method }) => method);
    expect(methods.filter((method) => method !== 'GET')).toEqual(['POST', 'PATCH', 'DELETE', 'DELETE']);
  });
});

test('a purchase order is created with its lines, changed and deleted', async ({ layer, sandbox }) => {
  const { data } = await layer.query(
    '{ company { vendors(first: 1) { nodes { id number } } items(first: 2) { nodes { id number } } } }',
  );
  const [vendor] = data.company.vendors.nodes;
  const items = data.company.items.nodes;
  await sandbox.forgetCalls();

  const input = {
    vendorId: vendor.id,
    orderDate: '2026-03-01',
    purchaseOrderLines: items.map(({ id }: { id: string }, index: number) => ({
      itemId: id,
      quantity: `${index + 2}`,
    })),
  };
  const made = await write(
    layer,
    'createPurchaseOrder',
    'purchaseOrder',
    input,
    'id etag vendorNumber orderDate vendor { number } purchaseOrderLines { quantity item { number } }',
  );

  expect(made.userErrors).toEqual([]);
  const order = made.purchaseOrder;
  expect(order).toMatchObject({
    vendorNumber: vendor.number,
    orderDate: '2026-03-01',
    vendor: { number: vendor.number },
  });
  expect(order.purchaseOrderLines.map(({ item }: { item: { number: string } }) => item.number)).toEqual(
    items.map(({ number }: { number: string }) => number),
  );
  expect((await sandbox.calls()).filter(({ method }) => method === 'POST')).toHaveLength(1);

  const read = await layer.query(`{ company { purchaseOrder(id: "${order.id}") { etag } } }`);
  const patch = { requestedReceiptDate: '2026-04-01' };
  const changed = await write(
    layer,
    'updatePurchaseOrder',
    'purchaseOrder',
    { id: order.id, ifMatch: read.data.company.purchaseOrder.etag, patch },
    'etag requestedReceiptDate',
  );
  expect(changed).toMatchObject({ purchaseOrder: patch, userErrors: [] });
  const gone = await write(
    layer,
    'deletePurchaseOrder',
    'purchaseOrder',
    { id: order.id, ifMatch: changed.purchaseOrder.etag },
    'id',
  );
  expect(gone).toMatchObject({ deletedId: order.id, userErrors: [] });
});

test('purchase orders with their vendors, lines, and what those are about are one call', async ({
  layer,
  sandbox,
}) => {
  await sandbox.forgetCalls();
  const { data, errors } = await layer.query(
    `{ company { purchaseOrders(first: 20) { nodes {
      number vendor { displayName } purchaseOrderLines { quantity item { displayName } account { number } }
    } } } }`,
  );

  expect(errors).toBeUndefined();
  expect(data.company.purchaseOrders.nodes).toHaveLength(20);
  expect(await sandbox.calls()).toHaveLength(1);
});

test('vendors with their purchase orders, lines and items are a call for the vendors and one for the orders', async ({
  layer,
  sandbox,
}) => {
  await sandbox.forgetCalls();
  const { data, errors } = await layer.query(
    `{ company { vendors(first: 10) { nodes { number purchaseOrders(first: 5) { nodes {
      number purchaseOrderLines { quantity item { displayName } }
    } } } } } }`,
  );

  expect(errors).toBeUndefined();
  const orders = data.company.vendors.nodes.flatMap((vendor: Json) => vendor.purchaseOrders.nodes);
  expect(orders.length).toBeGreaterThan(5);
  expect(await sandbox.calls()).toHaveLength(2);
});
