import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, test, testToken } from '../../support/layer.ts';

const authorization = `Bearer ${testToken}`;

const sandboxCustomer = { id: sandboxExamples.customerId };

const json = { 'content-type': 'application/json', authorization };

const noWatch = 'subscription { operationProgress(id: "x") { state } }';

test.for([
  ['a body that is not JSON', { method: 'POST', headers: json, body: '{' }, 400],
  ['another content type', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'a' }, 415],
  [
    'a body over 256 KB',
    { method: 'POST', headers: json, body: JSON.stringify({ query: ' '.repeat(300_000) }) },
    413,
  ],
  ['another method', { method: 'PUT', headers: json, body: '{}' }, 405],
  [
    'a form, as other sites can send',
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' },
    400,
  ],
  ['no document', { method: 'POST', headers: json, body: '{}' }, 400],
  [
    'a subscription by POST',
    { method: 'POST', headers: json, body: JSON.stringify({ query: noWatch }) },
    400,
  ],
] as const)('%s is rejected in the format of GraphQL', async ([_what, request, status], { layer }) => {
  const response = await fetch(`${layer.url}/graphql`, request);

  const { errors } = (await response.json()) as {
    errors: { message: string; extensions: { code: string } }[];
  };
  expect(response.status).toBe(status);
  expect(errors[0]).toMatchObject({
    message: expect.stringMatching(/\w/),
    extensions: { code: 'BAD_USER_INPUT' },
  });
  expect(response.headers.get('x-powered-by')).toBeNull();
  if (status === 405) expect(response.headers.get('allow')).toBe('GET, POST');
});

test('an unknown path says where the graph is', async ({ layer }) => {
  const response = await fetch(`${layer.url}/nowhere`);

  expect(response.status).toBe(404);
  expect(await response.text()).toContain('/graphql');
});

test("a client's request id is kept, in the response and in its errors", async ({ layer, sandbox }) => {
  await sandbox.fault({ status: 500, body: {} });

  const { headers, errors } = await layer.query(
    '{ companies { totalCount } }',
    {},
    { 'x-request-id': 'order-import-7' },
  );

  expect(headers.get('x-request-id')).toBe('order-import-7');
  expect(headers.get('cache-control')).toContain('no-store');
  expect(errors?.[0]?.extensions.requestId).toBe('order-import-7');
});

test('a request without a token is UNAUTHENTICATED and nothing is sent', async ({ layer, sandbox }) => {
  for (const header of ['', 'Basic abc', 'Bearer ']) {
    const { data, errors } = await layer.query('{ companies { totalCount } }', {}, { authorization: header });
    expect(data).toEqual({ companies: null });
    expect(errors).toMatchObject([
      { message: expect.stringContaining('Authorization'), extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  }
  expect(await sandbox.calls()).toEqual([]);
});

test("the caller's own token is sent upstream, and appears nowhere in a response", async ({
  layer,
  sandbox,
}) => {
  const canary = 'canary-7d1f';
  await sandbox.fault({
    status: 400,
    body: { error: { code: 'Echo', message: `refused Bearer ${canary} at ${sandbox.url}` } },
  });

  const { errors } = await layer.query(
    '{ companies { totalCount } }',
    {},
    { authorization: `Bearer ${canary}` },
  );

  const [call] = await sandbox.calls();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canary));
  expect(call?.headers.authorization).toBe(
    `Bearer sha256:${Buffer.from(digest).toString('hex').slice(0, 12)}`,
  );
  expect(errors).toMatchObject([{ extensions: { upstreamError: { code: 'Echo' } } }]);
  expect(JSON.stringify(errors)).not.toContain(canary);
  expect(JSON.stringify(errors)).not.toContain(new URL(sandbox.url).host);
});

test('a redirect is not followed: nothing is sent to its target', async ({ layer, sandbox }) => {
  await sandbox.fault({ status: 307, headers: { location: `${sandbox.url}/decoy` } });

  const { errors } = await layer.query('{ companies { totalCount } }');

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(await sandbox.calls()).toHaveLength(1);
});

test('a document used many times returns the same response every time', async ({ layer }) => {
  const query = '{ company { items(first: 3) { nodes { id number blocked unitPrice } } } }';

  const answers = await Promise.all(Array.from({ length: 5 }, () => layer.query(query)));

  for (const { data, errors } of answers) {
    expect(errors).toBeUndefined();
    expect(data).toEqual(answers[0]?.data);
  }
});

test('a short document with a very long expansion is executed', async ({ layer }) => {
  const places = (level: number) =>
    ['a', 'b', 'c', 'd', 'e'].map((alias) => `${alias}: customer(id: $id) { company { ...F${level + 1} } }`);
  const levels = Array.from(
    { length: 5 },
    (_, level) => `fragment F${level} on Company { ${places(level).join(' ')} }`,
  );
  const query = `query ($id: UUID!) { company { ...F0 } } ${levels.join(' ')} fragment F5 on Company { id }`;

  const answers = [await layer.query(query, sandboxCustomer), await layer.query(query, sandboxCustomer)];

  for (const { errors } of answers) expect(errors).toBeUndefined();
});

test.for([
  ['several operations and no name', { query: 'query A { __typename } query B { __typename }' }],
  ['the name of an operation that is not there', { query: 'query A { __typename }', operationName: 'B' }],
] as const)('%s is BAD_USER_INPUT over HTTP', async ([_what, body], { layer }) => {
  const response = await fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(body),
  });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    errors: [{ message: expect.stringContaining('operationName'), extensions: { code: 'BAD_USER_INPUT' } }],
  });
});

test('a token of areas B and C in their own header is never used for A', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { MANAGEMENT_TOKEN_HEADER: 'x-management' });

  const { errors } = await layer.query('{ healthEvent(trackingId: "SI_1-QRT") { title } }');
  await layer.stop();

  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', upstream: 'health' } }]);
  expect(await sandbox.calls()).toEqual([]);
});

test('a token that the upstream repeats in any form is redacted in its messages, and never in its codes', async ({
  layer,
  sandbox,
}) => {
  const change = `mutation ($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) { userErrors { code upstream { code message } } }
  }`;
  const input = { ...sandboxCustomer, ifMatch: '*', patch: { city: 'Oslo' } };
  for (const token of ['se"cret', 'Changed']) {
    await sandbox.fault({
      method: 'PATCH',
      status: 409,
      body: { error: { code: 'Request_EntityChanged', message: `token ${token}` } },
    });

    const { data } = await layer.query(change, { input }, { authorization: `Bearer ${token}` });

    expect(data.updateCustomer.userErrors).toEqual([
      { code: 'STALE_RECORD', upstream: { code: 'Request_EntityChanged', message: 'token [token]' } },
    ]);
  }
});

test.for(['with blanks', 'a'.repeat(129), '"quoted"'])(
  'a request id like %j is replaced',
  async (given, { layer }) => {
    const { headers } = await layer.query('{ company { id } }', {}, { 'x-request-id': given });

    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test('another content type is rejected with the right one', async ({ layer }) => {
  const response = await fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'a',
  });

  expect(await response.text()).toContain('Send the request as application/json.');
});

test('of two queries in a document the named one is executed, every time', async ({ layer }) => {
  const query = 'query A { a: company { id } } query B { b: company { id } }';
  for (const operationName of ['B', 'A', 'B', 'B', 'A']) {
    const response = await fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ query, operationName }),
    });

    expect(await response.json()).toEqual({
      data: { [operationName.toLowerCase()]: { id: sandboxCompanyId } },
    });
  }
});
