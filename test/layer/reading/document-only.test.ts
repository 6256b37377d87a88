import { expect } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { test as base, startTestLayer } from '../../support/layer.ts';
import { documentIds, startDocumentOnly } from '../../support/upstreams/document-only.ts';

const { companyId } = documentIds;

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
