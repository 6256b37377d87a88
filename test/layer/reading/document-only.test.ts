import { expect } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { test as base, startTestLayer } from '../../support/layer.ts';
import { documentIds, startDocumentOnly } from '../../support/upstreams/document-only.ts';

const { companyId, customerId } = documentIds;

const test = base.extend(
  'documented',
  fixture(async ({ onCleanup }) => {
    const upstream = await startDocumentOnly();
    const layer = await startTestLayer(upstream.url, { BUSINESS_COMPANY_ID: companyId });
    onCleanup(async () => {
      await layer.stop();
      upstream.stop();
    });
    return { ...upstream, ...layer };
  }),
);

test('orders with customers and the items of their lines are read from documented fields alone', async ({
  documented,
}) => {
  const query = `{
    company { salesOrders { nodes {
      number status customer { displayName }
      documentLines { lineNo itemNo quantity unitOfMeasureCode item { displayName itemCategoryCode } }
    } } }
  }`;
  const { data, errors } = await documented.query(query);

  expect(errors).toBeUndefined();
  expect(data.company.salesOrders.nodes).toEqual([
    {
      number: 'S1',
      status: 'Draft',
      customer: { displayName: 'Aller & Co' },
      documentLines: [
        {
          lineNo: 10_000,
          itemNo: 'D-100',
          quantity: '3',
          unitOfMeasureCode: 'PCS',
          item: { displayName: 'Desk', itemCategoryCode: 'TABLE' },
        },
      ],
    },
  ]);
  // This server does not expand customers and items. It does not say which it rejects: they are tried one by one.
  const callsOf = async () => {
    const before = documented.requests.length;
    expect((await documented.query(query)).data).toEqual(data);
    return documented.requests.length - before;
  };
  expect([await callsOf(), await callsOf(), await callsOf()]).toEqual([3, 3, 3]);
});

test('an account or unit of a line is an error of its field alone where the server expands none', async ({
  documented,
}) => {
  const { data, errors } = await documented.query(`{
    company { salesOrders { nodes { number documentLines { lineNo account { number } unitOfMeasure { code } } } } }
  }`);

  expect(data.company.salesOrders.nodes).toEqual([
    { number: 'S1', documentLines: [{ lineNo: 10_000, account: null, unitOfMeasure: null }] },
  ]);
  expect(errors?.map(({ path, extensions }) => [path?.at(-1), extensions.code])).toEqual([
    ['account', 'UPSTREAM_BAD_RESPONSE'],
    ['unitOfMeasure', 'UPSTREAM_BAD_RESPONSE'],
  ]);
  for (const { target } of documented.requests) expect(target).not.toMatch(/accountId|unitOfMeasureId/);
});

test('an entity tag in a header can be used as ifMatch of an update', async ({ documented }) => {
  const read = await documented.query('query ($id: UUID!) { company { customer(id: $id) { etag } } }', {
    id: customerId,
  });
  const change = `mutation ($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) { customer { etag city } userErrors { code } }
  }`;
  const input = { id: customerId, ifMatch: read.data.company.customer.etag, patch: { city: 'Bergen' } };

  const made = await documented.query(change, { input });
  const stale = await documented.query(change, { input });

  expect(made.data.updateCustomer).toEqual({ customer: { etag: '"2"', city: 'Bergen' }, userErrors: [] });
  expect(stale.data.updateCustomer).toMatchObject({
    customer: { etag: '"2"' },
    userErrors: [{ code: 'STALE_RECORD' }],
  });
});

test('a relative status URL is followed byte for byte', async ({ documented }) => {
  const { data } = await documented.query(`mutation { stopApplicationInstance(input: { instance: { names: {
    subscriptionId: "s", resourceGroupName: "g", virtualInstanceName: "v", applicationInstanceName: "a"
  } } }) { operation { id state } } }`);
  const { id } = data.stopApplicationInstance.operation;

  const events = [];
  for await (const event of documented.watch(
    'subscription ($id: ID!) { operationProgress(id: $id) { state } }',
    { id },
  )) {
    events.push(event.data.operationProgress);
  }

  expect(events).toEqual([{ state: 'SUCCEEDED' }]);
  expect(documented.requests.at(-1)?.target).toBe('/operations/7?a=%2f&b=*');
});
