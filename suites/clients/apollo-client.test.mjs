import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { getMainDefinition, relayStylePagination } from '@apollo/client/utilities';
import { buildSchema, isAbstractType } from 'graphql';
import { createClient } from 'graphql-ws';
import { firstValueFrom } from 'rxjs';
import { WebSocket } from 'ws';
import { headers, readSdl, startServer } from './server.mjs';

let server;
let possibleTypes;
let sockets;
let client;

before(async () => {
  const [started, sdl] = await Promise.all([startServer(), readSdl()]);
  server = started;
  possibleTypes = readPossibleTypes(sdl);
  const url = server.url.replace('http', 'ws');
  sockets = createClient({ url, connectionParams: headers, webSocketImpl: WebSocket });
  client = createApollo();
});
after(async () => {
  await sockets.dispose();
  await server.stop();
});

function readPossibleTypes(sdl) {
  const schema = buildSchema(sdl);
  const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
  const namesOf = (type) => schema.getPossibleTypes(type).map(({ name }) => name);
  return Object.fromEntries(abstract.map((type) => [type.name, namesOf(type)]));
}

function createApollo() {
  const cache = new InMemoryCache({
    possibleTypes,
    dataIdFromObject: () => undefined,
    typePolicies: {
      Node: { keyFields: ['nodeId'] },
      Company: { fields: { customers: relayStylePagination(['filter', 'orderBy']) } },
    },
  });
  const isSubscription = ({ query }) => getMainDefinition(query).operation === 'subscription';
  const http = new HttpLink({ uri: server.url, headers });
  return new ApolloClient({
    cache,
    link: ApolloLink.split(isSubscription, new GraphQLWsLink(sockets), http),
  });
}

const list = gql`query ($after: String) {
  company {
    nodeId
    customers(first: 3, after: $after, orderBy: [NUMBER_ASC]) {
      edges { cursor node { nodeId id number displayName } }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;
const rows = ({ company }) => company.customers.edges.map(({ node }) => node);
const readRows = async () => rows((await client.query({ query: list })).data);
const cached = () => rows(client.readQuery({ query: list }));
const cachedCompany = () => client.readQuery({ query: list }).company;
const entries = (type) => Object.values(client.extract()).filter(({ __typename }) => __typename === type);

test('a record read through a list and by its id is one entry of the cache', async () => {
  const [{ id, nodeId }] = await readRows();
  const before = entries('Customer').length;
  const query = gql`query ($id: UUID!) { company { nodeId customer(id: $id) { nodeId city } } }`;
  const { data } = await client.query({ query, variables: { id } });
  assert.equal(data.company.customer.nodeId, nodeId);
  assert.equal(entries('Customer').length, before);
  const merged = entries('Customer').find((entry) => entry.nodeId === nodeId);
  assert.ok('number' in merged && 'city' in merged);
});

test('records of two companies with the same id are two entries', async () => {
  const [{ id, nodeId }] = await readRows();
  const { data } = await client.query({ query: gql`{ companies { nodes { nodeId id } } }` });
  const other = data.companies.nodes.find((company) => company.nodeId !== cachedCompany().nodeId);
  const mutation = gql`mutation ($input: CreateCustomerInput!) {
    createCustomer(input: $input) { customer { nodeId id displayName } userErrors { message } }
  }`;
  const input = { companyId: other.id, id, displayName: 'Copied' };
  const created = await client.mutate({ mutation, variables: { input } });
  const { customer } = created.data.createCustomer;
  assert.equal(customer.id, id);
  assert.notEqual(customer.nodeId, nodeId);
  assert.notEqual(cached()[0].displayName, 'Copied');
});

test('a line of an order, which has an `id` and no `nodeId`, is a part of the order', async () => {
  const query = gql`{ company { nodeId salesOrders(first: 1) { nodes { nodeId documentLines { id } } } } }`;
  const { data } = await client.query({ query });
  assert.ok(data.company.salesOrders.nodes[0].documentLines.length > 0);
  assert.deepEqual(entries('SalesOrderLine'), []);
});

test('`relayStylePagination` joins the pages of a list', async () => {
  const query = client.watchQuery({ query: list });
  const { data } = await query.refetch();
  const { endCursor } = data.company.customers.pageInfo;
  await query.fetchMore({ variables: { after: endCursor } });
  assert.equal(rows(query.getCurrentResult().data).length, 6);
  assert.equal(new Set(cached().map(({ number }) => number)).size, 6);
});

test('a change shows in the list', async () => {
  const [{ id, nodeId }] = await readRows();
  const mutation = gql`mutation ($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) { customer { nodeId displayName } userErrors { message } }
  }`;
  const input = { id, ifMatch: '*', patch: { displayName: 'Renamed' } };
  await client.mutate({ mutation, variables: { input } });
  assert.equal(cached().find((row) => row.nodeId === nodeId).displayName, 'Renamed');
});

test('a deleted record leaves the list', async () => {
  const create = gql`mutation { createCustomer(input: { displayName: "Short-lived", number: "A0" }) {
    customer { nodeId id displayName } userErrors { message }
  } }`;
  const created = await client.mutate({ mutation: create });
  const { id, nodeId } = created.data.createCustomer.customer;
  await client.query({ query: list, fetchPolicy: 'network-only' });
  assert.equal(cached()[0].nodeId, nodeId);

  const remove = gql`mutation ($id: UUID!) { deleteCustomer(input: { id: $id, ifMatch: "*" }) { deletedNodeId } }`;
  const { data } = await client.mutate({
    mutation: remove,
    variables: { id },
    update(cache, { data: { deleteCustomer } }) {
      const { deletedNodeId } = deleteCustomer;
      cache.evict({ id: cache.identify({ __typename: 'Customer', nodeId: deletedNodeId }) });
    },
  });
  assert.equal(data.deleteCustomer.deletedNodeId, nodeId);
  assert.ok(cached().length > 0);
  assert.ok(cached().every((row) => row.nodeId !== nodeId));
});

test('an operation is followed over WebSocket, and its entry in the cache is updated', async () => {
  const mutation = gql`mutation ($input: StopApplicationInstanceInput!) {
    stopApplicationInstance(input: $input) { operation { nodeId id state } }
  }`;
  const names = {
    subscriptionId: '11111111-2222-4333-8444-555555555555',
    resourceGroupName: 'rg-north',
    virtualInstanceName: 'N01',
    applicationInstanceName: 'app01',
  };
  const input = { instance: { names } };
  const { data } = await client.mutate({ mutation, variables: { input } });
  const { id, nodeId } = data.stopApplicationInstance.operation;
  const query = gql`subscription ($id: ID!) { operationProgress(id: $id) { nodeId percentComplete } }`;
  const message = await firstValueFrom(client.subscribe({ query, variables: { id } }));
  assert.equal(message.error, undefined);
  assert.equal(message.data.operationProgress.nodeId, nodeId);
  const [entry] = entries('InstanceOperation');
  assert.equal(entry.percentComplete, message.data.operationProgress.percentComplete);
});
