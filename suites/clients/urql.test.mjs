import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, fetchExchange, gql } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { buildSchema, introspectionFromSchema, isObjectType } from 'graphql';
import { headers, readSdl, startServer } from './server.mjs';

let server;
let schema;
const warnings = [];
const sent = [];

before(async () => {
  const [started, sdl] = await Promise.all([startServer(), readSdl()]);
  server = started;
  schema = buildSchema(sdl);
});
after(() => server.stop());

/** `nodeId` for the types that have it; any other object is a part of the object that it is read from. */
function createKeys() {
  const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
  const isNode = (type) => type.getInterfaces().some(({ name }) => name === 'Node');
  const keyOf = (type) => (isNode(type) ? ({ nodeId }) => nodeId : () => null);
  return Object.fromEntries(objects.map((type) => [type.name, keyOf(type)]));
}

function createUrql() {
  const cache = cacheExchange({
    schema: introspectionFromSchema(schema),
    keys: createKeys(),
    logger: (_severity, message) => warnings.push(message),
    updates: {
      Mutation: {
        deleteCustomer: ({ deleteCustomer }, _args, store) =>
          store.invalidate({ __typename: 'Customer', nodeId: deleteCustomer.deletedNodeId }),
      },
    },
  });
  const fetchAndCount = (...request) => {
    sent.push(request);
    return fetch(...request);
  };
  return new Client({
    url: server.url,
    fetchOptions: { headers },
    fetch: fetchAndCount,
    fetchSubscriptions: true,
    exchanges: [cache, fetchExchange],
  });
}

/** The data of an operation. */
async function dataOf(result) {
  const { data, error } = await result;
  assert.equal(error, undefined);
  return data;
}

/** The results of a subscription until it completes or `isLast` holds. */
function follow(source, isLast) {
  const results = [];
  return new Promise((resolve) => {
    const { unsubscribe } = source.subscribe((result) => {
      results.push(result);
      if (!isLast(result)) return;
      resolve(results);
      setImmediate(() => unsubscribe());
    });
  });
}

const list = gql`{
  company { nodeId customers(first: 3) { nodes { nodeId id number displayName } } }
}`;
const rowsOf = async (client) => (await dataOf(client.query(list, {}))).company.customers.nodes;

test('Graphcache stores records by `nodeId`: a change shows in the list without another request', async () => {
  const client = createUrql();
  const [{ id, nodeId }] = await rowsOf(client);
  const update = gql`mutation ($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) { customer { nodeId displayName } userErrors { message } }
  }`;
  const input = { id, ifMatch: '*', patch: { displayName: 'Renamed' } };
  await dataOf(client.mutation(update, { input }));
  const before = sent.length;
  const row = (await rowsOf(client)).find((one) => one.nodeId === nodeId);
  assert.equal(row.displayName, 'Renamed');
  assert.equal(sent.length, before);
});

test('a deleted record leaves the cache by its `deletedNodeId`', async () => {
  const client = createUrql();
  const create = gql`mutation { createCustomer(input: { displayName: "Short-lived" }) {
    customer { nodeId id displayName } userErrors { message }
  } }`;
  const { createCustomer } = await dataOf(client.mutation(create, {}));
  const { id, nodeId } = createCustomer.customer;
  const read = gql`query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId ... on Customer { displayName } } }`;
  const found = await dataOf(client.query(read, { nodeId }));
  assert.equal(found.node.displayName, 'Short-lived');

  const remove = gql`mutation ($id: UUID!) {
    deleteCustomer(input: { id: $id, ifMatch: "*" }) { deletedNodeId userErrors { message } }
  }`;
  const { deleteCustomer } = await dataOf(client.mutation(remove, { id }));
  assert.equal(deleteCustomer.deletedNodeId, nodeId);
  assert.equal((await dataOf(client.query(read, { nodeId }))).node, null);
});

test('a subscription by `fetch` gets an event stream from the address of the graph', async () => {
  const client = createUrql();
  const stop = gql`mutation ($input: StopApplicationInstanceInput!) {
    stopApplicationInstance(input: $input) { operation { nodeId id state } }
  }`;
  const names = {
    subscriptionId: '11111111-2222-4333-8444-555555555555',
    resourceGroupName: 'rg-north',
    virtualInstanceName: 'N01',
    applicationInstanceName: 'app01',
  };
  const input = { instance: { names } };
  const { stopApplicationInstance } = await dataOf(client.mutation(stop, { input }));
  const { id, nodeId } = stopApplicationInstance.operation;
  const progress = gql`subscription ($id: ID!) {
    operationProgress(id: $id) { nodeId state percentComplete }
  }`;
  const results = await follow(client.subscription(progress, { id }), ({ hasNext }) => !hasNext);
  for (const { data, error } of results) {
    assert.equal(error, undefined);
    assert.equal(data.operationProgress.nodeId, nodeId);
  }
  assert.ok(results.length > 1);
  assert.equal(results.at(-1).data.operationProgress.percentComplete, 100);
  const [, { headers: last }] = sent.at(-1);
  assert.match(new Headers(last).get('accept'), /text\/event-stream/);
});

test('Graphcache warns of nothing', () => assert.deepEqual(warnings, []));
