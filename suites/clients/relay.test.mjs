import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import relay from 'relay-runtime';
import { compileRelay } from './relay-artifacts.mjs';
import { headers, readSdl, startServer } from './server.mjs';

const { Environment, Network, RecordSource, Store } = relay;

let server;
let artifacts;

before(async () => {
  [server, artifacts] = await Promise.all([startServer(), readSdl().then(compileRelay)]);
});
after(() => server.stop());

async function ask(query, variables) {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const result = await response.json();
  assert.equal(result.errors, undefined);
  return result;
}

async function createOrder(customerId) {
  const mutation = `mutation ($input: CreateSalesOrderInput!) {
    createSalesOrder(input: $input) { salesOrder { number } userErrors { message } }
  }`;
  const { data } = await ask(mutation, { input: { customerId } });
  assert.deepEqual(data.createSalesOrder.userErrors, []);
  return data.createSalesOrder.salesOrder.number;
}

/** The `nodeId` of one record of each type. */
async function readRecords() {
  const one = (lists) => lists.map((list) => `${list}(first: 1) { nodes { __typename nodeId } }`).join(' ');
  const virtualInstance = `subscriptionId: "11111111-2222-4333-8444-555555555555",
    resourceGroupName: "rg-north", virtualInstanceName: "N01"`;
  const instance = `${virtualInstance}, applicationInstanceName: "app01"`;
  const query = `{
    ${one(['companies', 'healthEvents'])}
    applicationInstance(${instance}) { __typename nodeId }
    virtualInstance(${virtualInstance}) {
      __typename nodeId ${one(['centralInstances', 'databaseInstances'])}
    }
    company { ${one(artifacts.lists)} }
  }`;
  const mutation = `mutation {
    stopApplicationInstance(input: { instance: { names: { ${instance} } } }) { operation { __typename nodeId } }
  }`;
  const found = new Map();
  const collect = (value) => {
    if (typeof value !== 'object' || value === null) return;
    if (value.nodeId) found.set(value.__typename, value.nodeId);
    Object.values(value).map(collect);
  };
  for (const document of [query, mutation]) collect((await ask(document)).data);
  return found;
}

const createEnvironment = () =>
  new Environment({
    network: Network.create(({ text }, variables) => ask(text, variables)),
    store: new Store(new RecordSource()),
    getDataID: ({ nodeId }) => nodeId,
  });

/** Reads a fragment's data, and the pointers to the fragments that it spreads, from the store. */
const readFragment = (environment, fragment, pointer) =>
  environment.lookup(relay.getSingularSelector(fragment, pointer)).data;

/** Sends the refetch query of a fragment, and returns the data of the fragment. */
async function refetch(environment, name, variables) {
  const fragment = artifacts.load(name);
  const { refetchableRequest, fragmentRefPathInResponse } = relay.getRefetchMetadata(fragment, 'refetch');
  const data = await relay.fetchQuery(environment, refetchableRequest, variables).toPromise();
  const pointer = fragmentRefPathInResponse.reduce((part, key) => part?.[key], data);
  return pointer && readFragment(environment, fragment, pointer);
}

/** Loads the next page of a paginated fragment, as `loadNext` of `usePaginationFragment` does. */
async function loadNext(environment, name, count, pointer) {
  const fragment = artifacts.load(name);
  const metadata = relay.getPaginationMetadata(fragment, 'loadNext');
  const { identifierInfo } = relay.getRefetchMetadata(fragment, 'loadNext');
  const { connectionPathInFragmentData, paginationRequest, paginationMetadata } = metadata;
  const data = readFragment(environment, fragment, pointer);
  const connection = connectionPathInFragmentData.reduce((part, key) => part[key], data);
  const { endCursor } = connection.pageInfo;
  const { variables } = relay.getSingularSelector(fragment, pointer);
  const identifier = { [identifierInfo.identifierQueryVariableName]: data[identifierInfo.identifierField] };
  const next = relay.getPaginationVariables(
    'forward',
    count,
    endCursor,
    variables,
    identifier,
    paginationMetadata,
  );
  await relay.fetchQuery(environment, paginationRequest, next).toPromise();
}

const commit = (environment, name, variables) =>
  new Promise((onCompleted, onError) => {
    const mutation = artifacts.load(name);
    relay.commitMutation(environment, { mutation, variables, onCompleted, onError });
  });

test('every type that implements `Node` has a refetchable fragment with its scalars', () => {
  assert.ok(artifacts.types.length > 10);
  for (const type of artifacts.types) {
    const { connection, identifierInfo } = relay.getRefetchMetadata(artifacts.load(`nodes${type}`), 'test');
    assert.equal(connection, undefined);
    assert.deepEqual(identifierInfo, { identifierField: 'nodeId', identifierQueryVariableName: 'nodeId' });
  }
});

test('a record of each of these types is refetched by its `nodeId`', async () => {
  const records = await readRecords();
  assert.deepEqual([...records.keys()].sort(), [...artifacts.types].sort());
  const environment = createEnvironment();
  for (const [type, nodeId] of records) {
    const read = await refetch(environment, `nodes${type}`, { nodeId });
    assert.equal(read?.nodeId, nodeId, type);
  }
});

test('records are stored by their `nodeId`', async () => {
  const { data } = await ask('{ company { customers(first: 1) { nodes { nodeId id number } } } }');
  const [{ nodeId, id, number }] = data.company.customers.nodes;
  const environment = createEnvironment();
  await refetch(environment, 'nodesCustomer', { nodeId });
  const stored = environment.getStore().getSource();
  assert.equal(stored.get(nodeId).number, number);
  assert.equal(stored.has(id), false);
});

test('`loadNext` appends the next page of a list, and of a list in a row; `@deleteRecord` removes a row', async () => {
  const environment = createEnvironment();
  const page = relay.fetchQuery(environment, artifacts.load('pagesQuery'), { first: 2 });
  const { company } = await page.toPromise();
  const customers = () => readFragment(environment, artifacts.load('pages_company'), company).customers.edges;
  assert.equal(customers().length, 2);

  await loadNext(environment, 'pages_company', 3, company);
  assert.equal(new Set(customers().map(({ node }) => node.number)).size, 5);

  const buyer = customers()[4].node;
  const numbers = await Promise.all([1, 2, 3].map(() => createOrder(buyer.id)));
  await refetch(environment, 'pages_customer', { nodeId: buyer.nodeId, first: 1 });
  const orders = () => readFragment(environment, artifacts.load('pages_customer'), buyer).salesOrders.edges;
  assert.equal(orders().length, 1);
  await loadNext(environment, 'pages_customer', 1000, buyer);
  const listed = orders().map(({ node }) => node.number);
  assert.equal(new Set(listed).size, listed.length);
  for (const number of numbers) assert.ok(listed.includes(number));

  const [{ node: removed }] = orders();
  await commit(environment, 'pagesDeleteOrderMutation', { input: { id: removed.id, ifMatch: '*' } });
  assert.deepEqual(
    orders().flatMap(({ node }) => (node ? [node.number] : [])),
    listed.slice(1),
  );
});
