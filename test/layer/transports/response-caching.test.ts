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

test('a response with records that seldom change may be kept by its client alone', async ({ layer }) => {
  for (const method of ['GET', 'POST'])
    expect(await caching(send(layer, reference, { method }))).toEqual(kept);
});

test('no other response may be kept', async ({ layer }) => {
  const queries = [
    // As fresh as the least of all that is shown, however deep.
    '{ company { currencies { nodes { company { items(first: 1) { totalCount } } } } } }',
    // Every posting changes what an account shows.
    '{ company { accounts(first: 1) { nodes { number netChange } } } }',
    '{ __typename }',
    '{ node(nodeId: "x") { nodeId } }',
    // With an error, however fresh the rest is.
    '{ company { id } other: company(id: "00000000-0000-4000-8000-00000000dead") { currencies { totalCount } } }',
  ];
  for (const query of queries) expect(await caching(send(layer, query)), query).toMatchObject(notKept);
  for (const given of [{ 'tributary-explain': '1' }, { 'tributary-read': 'primary' }])
    expect(await caching(send(layer, reference, given))).toMatchObject(notKept);
});

const ownHeader = testWith({}, { MANAGEMENT_TOKEN_HEADER: 'X-Management-Authorization' });

ownHeader('a response is kept for requests with the same tokens in all headers', async ({ layer }) => {
  expect(await caching(send(layer, reference))).toEqual({
    ...kept,
    vary: `${vary}, x-management-authorization`,
  });
});
