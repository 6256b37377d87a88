import { createClient } from 'graphql-ws';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Issuer, startIssuer } from '../../support/issuer.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';
const customer = { id: '6d115c9c-44e3-4a11-bb43-000000000001', displayName: 'Ada' };
const values = 'tenant=claim:tid environment=header:tributary-environment(production,sandbox)';
const [inProduction, inSandbox] = ['production', 'sandbox'].map((name) => ({
  'tributary-environment': name,
}));
type Headers = Readonly<Record<string, string>>;

/** A layer before a stub whose answers a test gives; `targets` are those of the calls. */
async function start(
  path: string,
  settings: Headers = {},
  answer: (call: StubRequest) => StubAnswer | Promise<StubAnswer> = () => ({ body: { value: [customer] } }),
) {
  const targets: string[] = [];
  const stub = await startStub((call) => {
    targets.push(call.target);
    return answer(call);
  });
  const issuer = await startIssuer();
  const layer = await startTestLayer(stub.url, {
    ...issuer.settings,
    BUSINESS_URL: stub.url + path,
    BUSINESS_COMPANY_ID: companyId,
    ...settings,
  });
  onTestFinished(async () => {
    await layer.stop();
    issuer.stop();
    stub.stop();
  });
  return { layer, issuer, targets };
}

const placed = (settings: Headers = {}, answer?: Parameters<typeof start>[2]) =>
  start('/v2.0/{tenant}/{environment}', { BUSINESS_URL_VALUES: values, ...settings }, answer);
const list = '{ company { customers(first: 1) { nodes { id } pageInfo { endCursor } } } }';
const ask = async (layer: TestLayer, token: string, headers: Headers | undefined, query = list) =>
  layer.query(query, {}, { authorization: `Bearer ${token}`, ...headers });
const tokenOf = (issuer: Issuer, tid: unknown) => issuer.tokenWith('ann', { scp: 'user_impersonation', tid });

test('calls go to the address that the claim and the header name', async () => {
  const { layer, issuer, targets } = await placed();
  for (const [tid, headers] of [
    ['contoso', inProduction],
    ['contoso', inSandbox],
    ['fabrikam.example', inSandbox],
  ] as const)
    expect((await ask(layer, await tokenOf(issuer, tid), headers)).errors).toBeUndefined();

  expect(targets.map((target) => target.split('/api/')[0])).toEqual([
    '/v2.0/contoso/production',
    '/v2.0/contoso/sandbox',
    '/v2.0/fabrikam.example/sandbox',
  ]);
});

test.each([
  ['no header', 'contoso', {}, 'BAD_USER_INPUT', 'production, sandbox'],
  [
    'a value that is not allowed',
    'contoso',
    { 'tributary-environment': 'test' },
    'BAD_USER_INPUT',
    'production',
  ],
  ['no claim', undefined, inProduction, 'FORBIDDEN', '`tid`'],
  ['a claim with a slash', 'a/b', inProduction, 'FORBIDDEN', '`tid`'],
  ['a claim that is a dot segment', '..', inProduction, 'FORBIDDEN', '`tid`'],
  ['a claim with an encoded slash', 'a%2fb', inProduction, 'FORBIDDEN', '`tid`'],
  ['a claim that is too long', 'a'.repeat(65), inProduction, 'FORBIDDEN', '`tid`'],
  ['a claim that is no text', ['contoso'], inProduction, 'FORBIDDEN', '`tid`'],
])('with %s nothing is sent', async (_what, tid, headers, code, named) => {
  const { layer, issuer, targets } = await placed();
  const { data, errors } = await ask(layer, await tokenOf(issuer, tid), headers as Headers);

  expect(data).toEqual({ company: null });
  expect(errors).toMatchObject([{ message: expect.stringContaining(named), extensions: { code } }]);
  expect(targets).toEqual([]);
});

test('a query parameter of the address is added to every call, and to no cursor', async () => {
  const { layer, issuer, targets } = await start(
    '/BC?tenant={tenant}&mode=x',
    { BUSINESS_URL_VALUES: 'tenant=claim:tid' },
    ({ target }) =>
      target.includes('skiptoken')
        ? { body: { value: [customer] } }
        : { body: { value: [customer], '@odata.nextLink': `http://elsewhere${target}&$skiptoken=next` } },
  );
  const token = await tokenOf(issuer, 'contoso');
  const { data } = await ask(layer, token, {});
  const { endCursor } = data.company.customers.pageInfo;
  const after = `{ company { customers(first: 1, after: ${JSON.stringify(endCursor)}) { nodes { id } } } }`;
  const next = await ask(layer, token, {}, after);
  await ask(layer, token, {}, `{ company { customer(id: "${customer.id}") { displayName } } }`);

  expect(next.errors).toBeUndefined();
  expect(targets).toHaveLength(3);
  for (const target of targets) {
    expect(target).toMatch(/^\/BC\/api\/v2\.0\//);
    expect(target.match(/[?&]tenant=contoso&mode=x(?=&|$)/g)).toHaveLength(1);
  }
  expect(targets[1]).toContain('skiptoken=next');
});

test('identical queries and reads of one token at the same time are not shared between places', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { layer, issuer, targets } = await placed({}, async () => {
    await held;
    return { body: { value: [customer] } };
  });
  const token = await tokenOf(issuer, 'contoso');
  const asked = [inProduction, inSandbox, inProduction, inSandbox].map((headers) =>
    ask(layer, token, headers),
  );
  await expect.poll(() => targets.length).toBe(2);
  release();
  await Promise.all(asked);

  expect(targets.map((target) => target.split('/')[3]).sort()).toEqual(['production', 'sandbox']);
});

test('a cursor of one place is BAD_USER_INPUT in another', async () => {
  const { layer, issuer } = await placed({}, () => ({ body: { value: [customer, customer] } }));
  const token = await tokenOf(issuer, 'contoso');
  const { data } = await ask(layer, token, inProduction);
  const { endCursor } = data.company.customers.pageInfo;
  const after = `{ company { customers(first: 1, after: ${JSON.stringify(endCursor)}) { nodes { id } } } }`;

  expect((await ask(layer, token, inProduction, after)).errors).toBeUndefined();
  expect((await ask(layer, token, inSandbox, after)).errors).toMatchObject([
    { extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

test('throttling, quotas and circuit breakers of one place leave the others alone', async () => {
  const { layer, issuer, targets } = await placed(
    { UPSTREAM_QUOTA: '8/600', UPSTREAM_BREAKER: 'on' },
    ({ target }) =>
      target.includes('/production/')
        ? { status: 429, headers: { 'retry-after': '60' }, body: {} }
        : { body: { value: [customer] } },
  );
  const token = await tokenOf(issuer, 'contoso');
  const upstreams = '{ upstreams { pace { quotaRemaining pausedUntil } } }';
  await ask(layer, token, inProduction);
  const throttled = await ask(layer, token, { ...inProduction, 'x-request-timeout': '500' });
  const other = await ask(layer, token, inSandbox);
  const [here, there] = [
    (await ask(layer, token, inProduction, upstreams)).data.upstreams[0].pace,
    (await ask(layer, token, inSandbox, upstreams)).data.upstreams[0].pace,
  ];

  expect(throttled.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_THROTTLED' } }]);
  expect(other.errors).toBeUndefined();
  expect(targets).toHaveLength(2);
  expect([here.quotaRemaining, there.quotaRemaining]).toEqual([1, 1]);
  expect([here.pausedUntil, there.pausedUntil]).toEqual([expect.any(String), null]);
});

test('a place whose calls all fail opens no circuit breaker of another', async () => {
  const { layer, issuer } = await placed({ UPSTREAM_BREAKER: 'on' }, ({ target }) =>
    target.includes('/production/') ? { status: 503, body: {} } : { body: { value: [customer] } },
  );
  const tokens = await Promise.all(
    ['ann', 'ben', 'cid', 'dee'].map((name) =>
      issuer.tokenWith(name, { scp: 'user_impersonation', tid: 'contoso' }),
    ),
  );
  for (let round = 0; round < 8; round++)
    await Promise.all(tokens.map((token) => ask(layer, token, inProduction)));
  const state = '{ upstreams { breaker { state } } }';
  const [token = ''] = tokens;

  expect((await ask(layer, token, inProduction, state)).data.upstreams[0].breaker.state).toBe('OPEN');
  expect((await ask(layer, token, inSandbox, state)).data.upstreams[0].breaker.state).toBe('CLOSED');
  expect((await ask(layer, token, inSandbox)).errors).toBeUndefined();
});

test('a WebSocket names its place in connection_init', async () => {
  const { layer, issuer, targets } = await placed({ POLL_RECORDS_MS: '50' });
  const token = await tokenOf(issuer, 'contoso');
  const client = createClient({
    url: `${layer.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}`, ...inSandbox },
    retryAttempts: 0,
  });
  const events = client.iterate({ query: 'subscription { recordChanged(types: [CUSTOMER]) { id } }' });
  void events.next();
  await expect.poll(() => targets.length).toBeGreaterThan(0);
  await events.return?.();
  await client.dispose();

  expect(targets[0]).toMatch(/^\/v2\.0\/contoso\/sandbox\/api\//);
});
