import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { test } from '../../support/layer.ts';

// Every customer's own orders, as one batch.
const ownOrders = `{ company { customers(first: 6) { nodes { salesOrders(first: 2) { nodes { id } } } } } }`;

test('tributary-explain lists the calls of a response, without host, header or token', async ({
  layer,
  sandbox,
}) => {
  const explained = async (query: string) => {
    const answer = await layer.query(
      query,
      {},
      { 'tributary-explain': '1', authorization: 'Bearer canary-4711' },
    );
    return { ...answer, calls: answer.extensions?.upstream ?? [] };
  };

  const one = await explained(`{ company { customer(id: "${sandboxExamples.customerId}") { city } } }`);
  expect(one.calls).toEqual([
    {
      upstream: 'business',
      method: 'GET',
      path: `/api/v2.0/companies(${sandboxCompanyId})/customers(${sandboxExamples.customerId})?$select=id,city`,
      status: 200,
      milliseconds: expect.any(Number),
      bytes: expect.any(Number),
      rows: null,
      keys: 1,
    },
  ]);

  const many = await explained(ownOrders);
  const [, batch] = many.calls;
  expect(many.calls).toMatchObject([
    { method: 'GET', status: 200 },
    { method: 'POST', path: '/api/v2.0/$batch', status: 200 },
  ]);
  expect(batch?.parts).toHaveLength(6);
  expect(batch?.parts?.[0]).toMatchObject({
    method: 'GET',
    status: 200,
    path: expect.stringContaining('/salesOrders?$filter=customerId'),
  });

  await sandbox.fault({ path: '/customers', reset: 'before' });
  const failed = await explained('{ company { customers { nodes { id } } } }');
  expect(failed.calls).toMatchObject([{ upstream: 'business', status: null }]);

  const { data } = await layer.query(
    `mutation { stopApplicationInstance(input: { instance: { names: {
      subscriptionId: "11111111-2222-4333-8444-555555555555", resourceGroupName: "rg-north",
      virtualInstanceName: "N01", applicationInstanceName: "app01"
    } }, softStopTimeoutSeconds: 30 }) { operation { id } } }`,
    {},
    { authorization: 'Bearer canary-4711' },
  );
  const polled = await explained(
    `{ instanceOperation(id: "${data.stopApplicationInstance.operation.id}") { state } }`,
  );
  // The address is sealed in the handle: it may carry what the upstream has signed.
  expect(polled.calls).toMatchObject([
    { upstream: 'instances', method: 'GET', path: 'the status address in the handle', status: 200 },
  ]);

  const text = JSON.stringify([one, many, failed, polled]);
  expect(text).not.toContain('canary-4711');
  expect(text).not.toContain(new URL(sandbox.url).host);
});

test('nothing is explained without the header', async ({ layer }) => {
  const answer = await layer.query('{ company { customers(first: 1) { nodes { id } } } }');

  expect(answer).not.toHaveProperty('extensions');
});
