import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
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
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

const oneCustomer = `query { company { customer(id: "${sandboxExamples.customerId}") { displayName } id } }`;

test('a read answered 429 is UPSTREAM_THROTTLED, and the rest of the response is unaffected', async ({
  layer,
  sandbox,
}) => {
  const secret = 'http://internal.example/stack';
  await sandbox.fault({
    status: 429,
    headers: { 'retry-after': '3', location: secret },
    body: { error: { code: 'C', message: 'M' } },
  });

  const { data, errors } = await layer.query(oneCustomer);

  expect(data).toEqual({ company: { customer: null, id: sandboxCompanyId } });
  expect(errors).toMatchObject([
    {
      path: ['company', 'customer'],
      extensions: {
        code: 'UPSTREAM_THROTTLED',
        upstream: 'business',
        upstreamError: { code: 'C' },
        retryAfterSeconds: 3,
      },
    },
  ]);
  expect(JSON.stringify(errors)).not.toContain(secret);
  expect(await sandbox.calls()).toHaveLength(1);
});

test('an upstream that is too slow is UPSTREAM_TIMEOUT', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { REQUEST_TIMEOUT_MS: '200' });
  await sandbox.fault({ delayMs: 1_000 });

  const { errors } = await layer.query(oneCustomer);
  await layer.stop();

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
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
