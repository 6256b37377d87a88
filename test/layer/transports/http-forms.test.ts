import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { type TestLayer, test, testToken } from '../../support/layer.ts';

const json = 'application/json; charset=utf-8';

const headers = { 'content-type': 'application/json', authorization: `Bearer ${testToken}` };
const post = (layer: TestLayer, accept: string, body: object) =>
  fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept },
    body: JSON.stringify(body),
  });
const get = (layer: TestLayer, parameters: Record<string, string>, given: Record<string, string> = {}) =>
  fetch(`${layer.url}/graphql?${new URLSearchParams(parameters)}`, { headers: { ...headers, ...given } });

const query = '{ company { id } }';
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
