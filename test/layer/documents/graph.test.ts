import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, test } from '../../support/layer.ts';

const oneCustomer = `query { company { customer(id: "${sandboxExamples.customerId}") { displayName } id } }`;

test.for([
  [
    'a malformed GUID',
    'query ($id: UUID!) { company { customer(id: $id) { id } } }',
    { id: '{123}' },
    'GUID',
  ],
  [
    'a GUID that means "unset"',
    'query ($id: UUID!) { company { item(id: $id) { id } } }',
    { id: '00000000-0000-0000-0000-000000000000' },
    'unset',
  ],
  [
    'a date that does not exist',
    'mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) { userErrors { code } } }',
    { input: { customerNumber: 'C10000', orderDate: '2026-02-30' } },
    '2026-02-30',
  ],
  [
    'a missing tag',
    'mutation ($input: UpdateItemInput!) { updateItem(input: $input) { userErrors { code } } }',
    { input: { id: sandboxExamples.itemId, patch: { blocked: true } } },
    'ifMatch',
  ],
] as const)(
  '%s is BAD_USER_INPUT with the reason, and nothing is sent',
  async ([_what, query, variables, hint], { layer, sandbox }) => {
    const { status, data, errors } = await layer.query(query, variables);

    expect(status).toBe(400);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(hint),
        extensions: { code: 'BAD_USER_INPUT', requestId: expect.stringMatching(/./) },
      },
    ]);
    expect(await sandbox.calls()).toEqual([]);
  },
);

test.for([
  ['an unknown field', '{ company { nonsense } }', 'GRAPHQL_VALIDATION_FAILED'],
  ['a malformed GUID in the text', '{ company(id: "123") { id } }', 'GRAPHQL_VALIDATION_FAILED'],
  ['a document that does not parse', '{ company {', 'GRAPHQL_PARSE_FAILED'],
] as const)('%s is rejected and nothing is sent', async ([_what, query, code], { layer, sandbox }) => {
  const { status, errors } = await layer.query(query);

  expect(status).toBe(400);
  expect(errors?.[0]?.extensions).toMatchObject({ code, requestId: expect.stringMatching(/./) });
  expect(await sandbox.calls()).toEqual([]);
});

test.for([
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [400, 'UPSTREAM_REJECTED'],
  [501, 'UPSTREAM_REJECTED'],
  [408, 'UPSTREAM_TIMEOUT'],
  [504, 'UPSTREAM_TIMEOUT'],
  [500, 'UPSTREAM_UNAVAILABLE'],
  [503, 'UPSTREAM_UNAVAILABLE'],
  [429, 'UPSTREAM_THROTTLED'],
  [302, 'UPSTREAM_BAD_RESPONSE'],
] as const)(
  'a read answered %s is %s, and the rest of the response is unaffected',
  async ([status, code], { layer, sandbox }) => {
    const secret = 'http://internal.example/stack';
    await sandbox.fault({
      status,
      headers: { 'retry-after': '3', location: secret },
      body: { error: { code: 'C', message: 'M' } },
    });

    const { data, errors } = await layer.query(oneCustomer);

    expect(data).toEqual({ company: { customer: null, id: sandboxCompanyId } });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({
      path: ['company', 'customer'],
      extensions: { code, upstream: 'business' },
    });
    expect(errors?.[0]?.extensions.upstreamError).toMatchObject({ code: 'C' });
    if (status === 429) expect(errors?.[0]?.extensions.retryAfterSeconds).toBe(3);
    expect(JSON.stringify(errors)).not.toContain(secret);
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test.for([
  ['text that is not JSON', { status: 200, body: '<html>private</html>' }, 'UPSTREAM_BAD_RESPONSE'],
  ['a list where a record should be', { status: 200, body: '[]' }, 'UPSTREAM_BAD_RESPONSE'],
  ['half a body', { cutAt: 10 }, 'UPSTREAM_UNAVAILABLE'],
  ['nothing, and hangs up', { reset: 'before' }, 'UPSTREAM_UNAVAILABLE'],
] as const)(
  'an upstream that responds %s has its own error code',
  async ([_what, fault, code], { layer, sandbox }) => {
    await sandbox.fault(fault);

    const { errors } = await layer.query(oneCustomer);

    expect(errors).toMatchObject([{ extensions: { code, upstream: 'business' } }]);
    expect(JSON.stringify(errors)).not.toContain('private');
  },
);

test('an upstream that is too slow is UPSTREAM_TIMEOUT, and an error body that is too long is cut', async ({
  sandbox,
}) => {
  const layer = await startTestLayer(sandbox.url, { REQUEST_TIMEOUT_MS: '500', MAX_RESPONSE_BYTES: '4096' });
  await sandbox.fault({ delayMs: 2000 });
  await sandbox.fault({ bytes: 50_000 });

  const slow = await layer.query(oneCustomer);
  const long = await layer.query(oneCustomer);
  await layer.stop();

  expect(slow.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  expect(long.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test('an upstream that cannot be reached is UPSTREAM_UNAVAILABLE, also for writes: nothing was done', async () => {
  const closed = await closedPort();
  const layer = await startTestLayer(`http://127.0.0.1:${closed}`);

  const { data, errors } = await layer.query(
    `mutation { updateCustomer(input: { id: "${sandboxExamples.customerId}", ifMatch: "*", patch: { city: "Oslo" } }) { userErrors { code } } }`,
  );
  await layer.stop();

  expect(data).toEqual({ updateCustomer: null });
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
});

test('an area without a URL is UPSTREAM_NOT_CONFIGURED, and the others are unaffected', async ({
  sandbox,
}) => {
  const layer = await startTestLayer(sandbox.url, { BUSINESS_URL: '' });

  const { data, errors } = await layer.query(
    '{ healthEvent(trackingId: "SI_1-QRT") { scope } companies { totalCount } }',
  );
  await layer.stop();

  expect(data).toEqual({ healthEvent: { scope: 'tenant' }, companies: null });
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_NOT_CONFIGURED', upstream: 'business' } }]);
});

test('the path of a base URL precedes the path of every call', async ({ sandbox }) => {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.url ?? '');
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ id: sandboxExamples.customerId, displayName: 'Behind a path' }));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const layer = await startTestLayer(sandbox.url, { BUSINESS_URL: `http://127.0.0.1:${port}/v2.0/prod/` });

  const { data } = await layer.query(oneCustomer);
  await layer.stop();
  proxy.closeAllConnections();
  proxy.close();

  expect(data.company.customer.displayName).toBe('Behind a path');
  expect(seen).toEqual([
    `/v2.0/prod/api/v2.0/companies(${sandboxCompanyId})/customers(${sandboxExamples.customerId})?$select=id,displayName`,
  ]);
});

test('at most the configured number of connections is opened to an upstream', async ({ sandbox }) => {
  let open = 0;
  let most = 0;
  const upstream = createServer((_request, response) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.end('{"id":"x","value":[]}');
    }, 30);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const layer = await startTestLayer(sandbox.url, {
    BUSINESS_URL: `http://127.0.0.1:${port}`,
    UPSTREAM_CONNECTIONS: '2',
  });

  // Reads of one caller would be shared.
  const callers = Array.from({ length: 6 }, (_, index) => ({ authorization: `Bearer caller-${index}` }));
  await Promise.all(callers.map((headers) => layer.query(oneCustomer, {}, headers)));
  await layer.stop();
  upstream.closeAllConnections();
  upstream.close();

  expect(most).toBe(2);
});

test('of many invalid variables only the first are reported', async ({ layer }) => {
  const documentLines = Array.from({ length: 30 }, () => ({ itemId: 'x' }));

  const { errors } = await layer.query(
    'mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) { userErrors { code } } }',
    { input: { documentLines } },
  );

  expect(errors?.length).toBeLessThanOrEqual(11);
});

test('a response longer than allowed is not read, even if it is a valid record', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { MAX_RESPONSE_BYTES: '1024' });
  await sandbox.fault({
    status: 200,
    body: { id: sandboxExamples.customerId, displayName: 'x'.repeat(2000) },
  });

  const { errors } = await layer.query(oneCustomer);
  await layer.stop();

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test('the schema can be introspected', async ({ layer }) => {
  const { data } = await layer.query('{ __schema { queryType { name } } }');

  expect(data.__schema.queryType.name).toBe('Query');
});

test('a document of more than 2,000 tokens is GRAPHQL_PARSE_FAILED', async ({ layer }) => {
  const { errors } = await layer.query(`{ ${'__typename '.repeat(2001)} }`);

  expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }]);
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
