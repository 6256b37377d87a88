import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, test } from '../../support/layer.ts';

const { customerId, itemId } = sandboxExamples;

// Five different reads of one turn go as one batch.
const five = `{ company {
  name customer(id: "${customerId}") { number } item(id: "${itemId}") { number }
  customers(first: 1) { nodes { number } } employees(first: 1) { nodes { number } }
} }`;

test.for([
  ['half a body', { cutAt: 10 }, 'UPSTREAM_UNAVAILABLE'],
  ['no list of answers', { status: 200, body: {} }, 'UPSTREAM_BAD_RESPONSE'],
] as const)(
  'a batch answered with %s is %s at every field that was in it, and no record appears to be missing',
  async ([_what, fault, code], { layer, sandbox }) => {
    await sandbox.fault({ path: '$batch', ...fault });

    const { errors } = await layer.query(five);

    expect(errors).toHaveLength(5);
    for (const { extensions } of errors ?? [])
      expect(extensions).toMatchObject({ code, upstream: 'business' });
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test.for([
  ['403', { status: 403, body: {} }, 'FORBIDDEN'],
  ['414', { status: 414, body: {} }, 'UPSTREAM_REJECTED'],
  ['429', { status: 429, headers: { 'retry-after': '4' }, body: {} }, 'UPSTREAM_THROTTLED'],
  ['500', { status: 500, body: {} }, 'UPSTREAM_UNAVAILABLE'],
  ['504', { status: 504, body: {} }, 'UPSTREAM_TIMEOUT'],
  ['text that is not JSON', { status: 200, body: '<html>' }, 'UPSTREAM_BAD_RESPONSE'],
] as const)(
  'a part of a batch answered with %s is %s, and the other parts succeed',
  async ([_what, fault, code], { layer, sandbox }) => {
    await sandbox.fault({ part: true, path: '/customers?', ...fault });

    const { data, errors } = await layer.query(five);

    const number = expect.stringMatching(/\w/);
    expect(data.company).toMatchObject({
      customer: { number },
      item: { number },
      customers: null,
      employees: { nodes: [{ number }] },
    });
    expect(errors).toMatchObject([{ path: ['company', 'customers'], extensions: { code } }]);
    if (code === 'UPSTREAM_THROTTLED') expect(errors?.[0]?.extensions.retryAfterSeconds).toBe(4);
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

const oneCustomer = `query { company { customer(id: "${sandboxExamples.customerId}") { displayName } id } }`;

test.for([
  [
    'a date that does not exist',
    'mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) { userErrors { code } } }',
    { input: { customerNumber: 'C10000', orderDate: '2026-02-30' } },
    '2026-02-30',
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
  ['a malformed GUID in the text', '{ company(id: "123") { id } }', 'GRAPHQL_VALIDATION_FAILED'],
] as const)('%s is rejected and nothing is sent', async ([_what, query, code], { layer, sandbox }) => {
  const { status, errors } = await layer.query(query);

  expect(status).toBe(400);
  expect(errors?.[0]?.extensions).toMatchObject({ code, requestId: expect.stringMatching(/./) });
  expect(await sandbox.calls()).toEqual([]);
});

test.for([
  [400, 'UPSTREAM_REJECTED'],
  [408, 'UPSTREAM_TIMEOUT'],
  [500, 'UPSTREAM_UNAVAILABLE'],
  [429, 'UPSTREAM_THROTTLED'],
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

test.for([
  ['is too slow', { delayMs: 1_000 }, { REQUEST_TIMEOUT_MS: '200' }, 'UPSTREAM_TIMEOUT'],
  ['responds with too much', { bytes: 50_000 }, { MAX_RESPONSE_BYTES: '4096' }, 'UPSTREAM_BAD_RESPONSE'],
] as const)('an upstream that %s is an error', async ([, fault, settings, code], { sandbox }) => {
  const layer = await startTestLayer(sandbox.url, settings);
  await sandbox.fault(fault);

  const { errors } = await layer.query(oneCustomer);
  await layer.stop();

  expect(errors).toMatchObject([{ extensions: { code } }]);
});

test('an upstream that cannot be reached is UPSTREAM_UNAVAILABLE, also for writes: nothing was done', async () => {
  const layer = await startTestLayer('http://127.0.0.1:1');

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
