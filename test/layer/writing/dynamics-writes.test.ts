import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });

const { customerId: id } = sandboxExamples;
const customer = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;

/** What each call said about how fresh its answer has to be. */
const intents = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, headers }) => [method, headers['data-access-intent']]);

test('an order is created with its lines under the names of the Dynamics service', async ({
  layer,
  sandbox,
}) => {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) {
      salesOrder { customerNumber status documentLines { lineType lineNo itemNo quantity unitPrice item { number } } }
      userErrors { code message }
    } }`,
    {
      input: {
        customerNumber: 'C10000',
        documentLines: [
          {
            lineType: 'Item',
            itemNo: '1004',
            lineNo: 20_000,
            quantity: 2,
            unitPrice: '1234567890123456.789',
          },
          { lineType: 'Account', itemNo: '4090', quantity: 1, unitPrice: '4.50' },
        ],
      },
    },
  );

  expect(errors).toBeUndefined();
  expect(data.createSalesOrder.userErrors).toEqual([]);
  const line = {
    lineNo: 20_000,
    itemNo: '1004',
    quantity: '2',
    unitPrice: '1234567890123456.789',
    item: { number: '1004' },
  };
  expect(data.createSalesOrder.salesOrder).toMatchObject({ customerNumber: 'C10000', status: 'Draft' });
  expect(data.createSalesOrder.salesOrder.documentLines).toContainEqual({ lineType: 'Item', ...line });
  expect(data.createSalesOrder.salesOrder.documentLines).toContainEqual(
    expect.objectContaining({ lineType: 'Account', itemNo: '4090', item: null }),
  );
  const [post] = (await sandbox.calls()).filter(({ method }) => method === 'POST');
  expect(post?.body.replace(/"id":"[^"]+",/, '')).toBe(
    '{"customerNumber":"C10000","salesOrderLines":[{"lineType":"Item","sequence":20000,"lineObjectNumber":"1004","quantity":2,"unitPrice":1234567890123456.789},{"lineType":"Account","lineObjectNumber":"4090","quantity":1,"unitPrice":4.50}]}',
  );
});

const update = `mutation ($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) {
    customer { etag city blocked company { customer(id: "${id}") { city } } } userErrors { code path }
  }
}`;

test('a stale tag, which the Dynamics service answers with 409, is STALE_RECORD with the current record', async ({
  layer,
  sandbox,
}) => {
  const read = await layer.query('query ($id: UUID!) { company { customer(id: $id) { etag } } }', { id });
  await sandbox.send('PATCH', customer, { city: 'Oslo' }, { 'if-match': '*' });
  await sandbox.forgetCalls();

  const input = { id, ifMatch: read.data.company.customer.etag, patch: { city: 'Bergen' } };
  const stale = await layer.query(update, { input });

  expect((await sandbox.calls())[0]).toMatchObject({ method: 'PATCH', status: 409 });
  expect(stale.data.updateCustomer).toMatchObject({
    customer: { city: 'Oslo' },
    userErrors: [{ code: 'STALE_RECORD', path: ['input', 'ifMatch'] }],
  });
  const ifMatch = stale.data.updateCustomer.customer.etag;
  const again = await layer.query(update, { input: { ...input, ifMatch } });
  expect(again.data.updateCustomer).toMatchObject({ customer: { city: 'Bergen' }, userErrors: [] });
});

test('an enum value is written as an XML name', async ({ layer, sandbox }) => {
  const { data } = await layer.query(update, {
    input: { id, ifMatch: '*', patch: { blocked: null, city: 'Oslo' } },
  });

  expect(data.updateCustomer).toMatchObject({ customer: { blocked: null }, userErrors: [] });
  expect(JSON.parse((await sandbox.calls())[0]?.body ?? '')).toEqual({ blocked: '_x0020_', city: 'Oslo' });
});

test('a read after a write sees the write, however far the replica is behind; reads of other callers go to the replica', async ({
  layer,
  sandbox,
}) => {
  await sandbox.lag(true);
  await sandbox.forgetCalls();

  const changed = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Harstad' } } });
  const written = await intents(sandbox);
  await sandbox.forgetCalls();
  const plain = await layer.query(
    'query ($id: UUID!) { company { customer(id: $id) { city } } }',
    { id },
    { authorization: 'Bearer somebody-who-has-written-nothing' },
  );

  expect(changed.data.updateCustomer.customer).toMatchObject({
    city: 'Harstad',
    company: { customer: { city: 'Harstad' } },
  });
  expect(written).toEqual([
    ['PATCH', undefined],
    ['GET', 'ReadWrite'],
  ]);
  expect(plain.data.company.customer.city).not.toBe('Harstad');
  expect(await intents(sandbox)).toEqual([['GET', undefined]]);
});

test('a record returned for a stale tag is read from the primary', async ({ layer, sandbox }) => {
  await sandbox.lag(true);
  await sandbox.send('PATCH', customer, { city: 'Vardø' }, { 'if-match': '*' });

  const { data } = await layer.query(update, {
    input: { id, ifMatch: 'W/"old"', patch: { city: 'Bergen' } },
  });

  expect(data.updateCustomer).toMatchObject({
    customer: { city: 'Vardø' },
    userErrors: [{ code: 'STALE_RECORD' }],
  });
});

test('a batch of reads after a write sees the write, too', async ({ layer, sandbox }) => {
  await sandbox.lag(true);
  const lists = ['items', 'employees', 'salesOrders', 'accounts', 'currencies'];

  const { data } = await layer.query(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { company {
      customers(first: 1, filter: { city: { eq: "Harstad" } }) { nodes { id } }
      ${lists.map((list) => `${list}(first: 1) { nodes { id } }`).join(' ')}
    } } } }`,
    { input: { id, ifMatch: '*', patch: { city: 'Harstad' } } },
  );

  expect(data.updateCustomer.customer.company.customers.nodes).toEqual([{ id }]);
  const [, batch, ...others] = await sandbox.calls();
  expect(batch?.parts).toHaveLength(6);
  expect(others).toEqual([]);
});
