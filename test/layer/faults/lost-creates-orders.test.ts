import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const orders = `/api/v2.0/companies(${sandboxCompanyId})/salesOrders`;

const input = {
  customerNumber: 'C10000',
  externalDocumentNumber: 'po-77',
  documentLines: [
    { lineType: 'Item', itemNo: '1000', quantity: 2 },
    { lineType: 'Item', itemNo: '1004', quantity: '1.50', unitPrice: '1234567890123456.789' },
  ],
};

const create = async (
  layer: TestLayer,
  given: object,
  selected = 'documentLines { itemNo quantity unitPrice }',
) => {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) {
      salesOrder { id number ${selected} } userErrors { code }
    } }`,
    { input: given },
  );
  expect(errors).toBeUndefined();
  return data.createSalesOrder;
};

/** A layer of its own for each test, since it remembers which entity sets keep client-supplied ids. It has created an order. */
const testIn = (dialect: 'document' | 'dynamics') =>
  testWith({ dialect, chosenIds: { salesOrders: 'honour' } }, {}).extend(
    'proven',
    async ({ sandbox }, { onCleanup }) => {
      const layer = await startTestLayer(sandbox.url, { BUSINESS_DIALECT: dialect });
      onCleanup(() => layer.stop());
      await create(layer, { customerNumber: 'C10000' });
      await sandbox.forgetCalls();
      return layer;
    },
  );

const inDocument = testIn('document');
const inDynamics = testIn('dynamics');

const methods = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

/** The orders with the number the customer gave it, as they are stored. */
async function stored(sandbox: TestSandbox) {
  const response = await sandbox.send('GET', '/sandbox/records?set=salesOrders');
  type Stored = { id: string; values: Record<string, unknown>; lines: Record<string, unknown>[] };
  const { records } = (await response.json()) as { records: Stored[] };
  return records.filter(({ values }) => values.externalDocumentNumber === 'PO-77');
}

const lines = [
  { itemNo: '1000', quantity: '2' },
  { itemNo: '1004', quantity: expect.stringMatching(/^1\.50?$/), unitPrice: '1234567890123456.789' },
];

describe.each([
  ['document', inDocument],
  ['dynamics', inDynamics],
] as const)('in the dialect %s, where the ids of orders are proven to be kept,', (dialect, test) => {
  test('an order that was created with its lines, but whose response is lost, is read with them in one call', async ({
    proven,
    sandbox,
  }) => {
    await sandbox.fault({ method: 'POST', reset: 'after' });

    const { salesOrder, userErrors } = await create(proven, input);

    expect(userErrors).toEqual([]);
    expect(salesOrder.documentLines).toMatchObject(lines);
    expect(await stored(sandbox)).toMatchObject([{ id: salesOrder.id, lines: [{}, {}] }]);
    const [, look, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(look?.path.startsWith(`${orders}(${salesOrder.id})?`)).toBe(true);
    expect(look?.path).toContain('$expand=salesOrderLines(');
  });

  test('an order that is lost before it is created is retried with its lines: one order with two lines', async ({
    proven,
    sandbox,
  }) => {
    await sandbox.fault({ method: 'POST', status: 504 });

    const { salesOrder, userErrors } = await create(proven, input);

    expect(userErrors).toEqual([]);
    expect(salesOrder.documentLines).toMatchObject(lines);
    expect(await stored(sandbox)).toMatchObject([{ id: salesOrder.id, lines: [{}, {}] }]);
    expect((await methods(sandbox)).slice(0, 3)).toEqual(['POST', 'GET', 'POST']);
    const [first, , second] = await sandbox.calls();
    expect(second?.body).toBe(first?.body);
    expect(second?.body).toContain('"unitPrice":1234567890123456.789');
  });

  test('an order lost under a client-supplied id is found by its contents, lines included, though the set is not proven to keep ids', async ({
    sandbox,
  }) => {
    const unproven = await startTestLayer(sandbox.url, { BUSINESS_DIALECT: dialect });
    const id = '55555555-5555-4555-8555-555555555555';
    await sandbox.fault({ method: 'POST', reset: 'after' });

    const found = await create(unproven, { id, ...input }, '');
    await sandbox.fault({ method: 'POST', reset: 'before' });
    const other = {
      ...input,
      documentLines: [...input.documentLines, { lineType: 'Item', itemNo: '1000', quantity: 9 }],
    };
    const older = await create(unproven, { id, ...other }, '');
    await unproven.stop();

    expect(found).toMatchObject({ salesOrder: { id }, userErrors: [] });
    expect(older).toMatchObject({ salesOrder: { id }, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect(await stored(sandbox)).toHaveLength(1);
    expect(await methods(sandbox)).toEqual(['POST', 'GET', 'POST', 'GET']);
  });
});
