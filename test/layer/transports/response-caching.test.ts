import { expect } from 'vitest';
import { type TestLayer, test, testToken, testWith } from '../../support/layer.ts';

const send = (
  { url }: TestLayer,
  query: string,
  { method = 'POST', ...given }: Record<string, string> & { method?: string } = {},
) => {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${testToken}`, ...given };
  return method === 'GET'
    ? fetch(`${url}/graphql?${new URLSearchParams({ query })}`, { headers })
    : fetch(`${url}/graphql`, { method, headers, body: JSON.stringify({ query }) });
};
const caching = async (sent: Promise<Response>) => {
  const { status, headers } = await sent;
  return { status, control: headers.get('cache-control'), vary: headers.get('vary') };
};

const reference =
  '{ company { id currencies(first: 2) { edges { cursor node { code __typename } } pageInfo { endCursor } } } }';
const vary = 'accept, accept-language, authorization, tributary-explain, tributary-read';
const kept = { status: 200, control: 'private, max-age=60', vary };
const notKept = { control: 'no-store', vary: null };

test.for(['GET', 'POST'])(
  'a %s of records that seldom change may be kept by its client alone',
  async (method, { layer }) => {
    expect(await caching(send(layer, reference, { method }))).toEqual(kept);
    const all =
      '{ company { ...Terms paymentMethods { nodes { code } } } } fragment Terms on Company { shipmentMethods(first: 1) { nodes { code } } }';
    expect(await caching(send(layer, all, { method }))).toEqual(kept);
  },
);

test.for(['GET', 'POST'])('no other response to a %s may be kept', async (method, { layer }) => {
  const queries = [
    '{ company { id customers(first: 1) { nodes { id } } } }',
    // As fresh as the least of all that is shown, however deep.
    '{ company { currencies { nodes { company { items(first: 1) { totalCount } } } } } }',
    '{ company { currencies { nodes { code } } } healthEvents(subscriptionId: "1f2e3d4c-0000-4000-8000-000000000001") { totalCount } }',
    // Every posting changes what an account shows.
    '{ company { accounts(first: 1) { nodes { number netChange } } } }',
    '{ upstreams { name } }',
    '{ __typename }',
    '{ __schema { queryType { name } } company { id } }',
    'query A { company { id } } fragment B on Customer { id }',
    '{ node(nodeId: "x") { nodeId } }',
    '{',
    // With an error, however fresh the rest is.
    '{ company { id } other: company(id: "00000000-0000-4000-8000-00000000dead") { currencies { totalCount } } }',
  ];
  for (const query of queries)
    expect(await caching(send(layer, query, { method })), query).toMatchObject(notKept);
});

test.for([
  ['explained', { 'tributary-explain': '1' }],
  ['read from the primary', { 'tributary-read': 'primary' }],
] as const)('a response that is %s is not kept', async ([, given], { layer }) => {
  for (const method of ['GET', 'POST'])
    expect(await caching(send(layer, reference, { ...given, method }))).toMatchObject(notKept);
});

const ownHeader = testWith({}, { MANAGEMENT_TOKEN_HEADER: 'X-Management-Authorization' });

ownHeader('a response is kept for requests with the same tokens in all headers', async ({ layer }) => {
  expect(await caching(send(layer, reference))).toEqual({
    ...kept,
    vary: `${vary}, x-management-authorization`,
  });
});
