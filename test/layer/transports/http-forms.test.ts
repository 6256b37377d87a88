import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { type TestLayer, test, testToken } from '../../support/layer.ts';

const json = 'application/json; charset=utf-8';
const modern = 'application/graphql-response+json; charset=utf-8';

const headers = { 'content-type': 'application/json', authorization: `Bearer ${testToken}` };
const post = (layer: TestLayer, accept: string, body: object | string) =>
  fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const get = (layer: TestLayer, parameters: Record<string, string>, given: Record<string, string> = {}) =>
  fetch(`${layer.url}/graphql?${new URLSearchParams(parameters)}`, { headers: { ...headers, ...given } });

const query = '{ company { id } }';
const bodies = [
  ['a query', { query }, 200],
  ['a field that fails', { query: '{ company(id: "00000000-0000-4000-8000-00000000dead") { name } }' }, 200],
  ['a document that does not fit', { query: '{ nothing }' }, 400],
  ['no document', {}, 400],
] as const;

test.for([
  ['*/*', json],
  ['application/graphql-response+json;q=0.5, application/json;q=0.6', json],
  ['multipart/mixed;deferSpec=20220824, application/graphql-response+json, application/json;q=0.9', modern],
] as const)(
  'with Accept %j the response is %s, with the same statuses',
  async ([accept, type], { layer }) => {
    for (const [what, body, status] of bodies) {
      const response = await post(layer, accept, body);

      expect([what, response.status, response.headers.get('content-type')]).toEqual([what, status, type]);
      const { data, errors } = (await response.json()) as Record<string, unknown>;
      expect([what, data !== undefined, errors !== undefined]).toEqual([
        what,
        status === 200,
        what !== 'a query' && (status !== 200 || errors !== undefined),
      ]);
    }
  },
);

test.for(['text/html', 'application/json;q=0'])(
  'with Accept %j, which matches no media type, the request is rejected with 406 and not executed',
  async (accept, { layer, sandbox }) => {
    const change = `mutation { updateCustomer(input: {
      id: "${sandboxExamples.customerId}", ifMatch: "*", patch: { city: "Oslo" }
    }) { userErrors { code } } }`;
    for (const asked of [
      await post(layer, accept, { query: change }),
      await get(layer, { query }, { accept }),
    ]) {
      expect([asked.status, asked.headers.get('content-type')]).toEqual([406, json]);
      expect(await asked.text()).toContain('application/graphql-response+json or application/json');
    }
    expect(await sandbox.calls()).toEqual([]);
  },
);

test('a GET with variables and an operation name is answered like the same POST', async ({ layer }) => {
  const parameters = {
    query: 'query A { __typename } query B($id: UUID!) { company(id: $id) { id } }',
    variables: JSON.stringify({ id: sandboxCompanyId }),
    operationName: 'B',
  };
  const response = await get(layer, parameters);

  expect([response.status, await response.json()]).toEqual([
    200,
    { data: { company: { id: sandboxCompanyId } } },
  ]);
});
