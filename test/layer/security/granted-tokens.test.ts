import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startIssuerForTest } from '../../support/issuer.ts';
import { firstOf, startBeforeStub, startLayerForTest, type TestLayer } from '../../support/layer.ts';
import { actionInput, collect, place, progress, stop } from '../../support/operations.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

type Settings = Readonly<Record<string, string>>;

const credentials = (sandbox: TestSandbox, area: 'BUSINESS' | 'MANAGEMENT', auth: string): Settings => ({
  [`${area}_AUTH`]: auth,
  [`${area}_TOKEN_URL`]: `${sandbox.url}/common/oauth2/token`,
  [`${area}_CLIENT_ID`]: 'tributary',
  [`${area}_CLIENT_SECRET`]: 'sandbox-secret',
  [`${area}_SCOPE`]: `api://${area.toLowerCase()}/.default`,
});

/** A layer with tokens of its own for both upstreams, in front of callers who are verified. */
async function start(auth: string, more: Settings = {}) {
  const issuer = await startIssuerForTest();
  const sandbox = await startTestSandbox();
  onTestFinished(() => sandbox.stop());
  const layer = await startLayerForTest(sandbox.url, {
    ...issuer.settings,
    ...credentials(sandbox, 'BUSINESS', auth),
    ...credentials(sandbox, 'MANAGEMENT', auth),
    ...more,
  });
  return { issuer, sandbox, layer };
}

const onBehalfOf = (url: string): Settings => ({
  BUSINESS_AUTH: 'on-behalf-of',
  BUSINESS_TOKEN_URL: `${url}/token`,
  BUSINESS_CLIENT_ID: 'tributary',
  BUSINESS_CLIENT_SECRET: 'a-secret-of-the-tests',
});

const ask = (layer: TestLayer, token: string, query: string, variables = {}) =>
  layer.query(query, variables, { authorization: `Bearer ${token}` });
const customers = '{ company { customers(first: 1) { nodes { number } } } }';
const health = '{ healthEvents(first: 1) { nodes { trackingId } } }';

const grants = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => path === '/common/oauth2/token');
const bearersOf = async (sandbox: TestSandbox, path: RegExp) =>
  new Set(
    (await sandbox.calls())
      .filter((call) => path.test(call.path))
      .map(({ headers }) => headers.authorization),
  );
const shownAs = (token: string) =>
  `Bearer sha256:${createHash('sha256').update(token).digest('hex').slice(0, 12)}`;

test.for([
  ['client-credentials', 1],
  ['on-behalf-of', 2],
] as const)(
  'with %s the upstream receives granted tokens, of which two callers use %i for each area',
  async ([auth, each]) => {
    const { issuer, sandbox, layer } = await start(auth);
    const tokens = await Promise.all(['ada', 'grace'].map((name) => issuer.token(name)));

    for (let times = 0; times < 2; times++)
      for (const token of tokens)
        for (const query of [customers, health]) {
          const { errors } = await ask(layer, token, query);
          expect(errors).toBeUndefined();
        }

    const seen = [await bearersOf(sandbox, /^\/api/), await bearersOf(sandbox, /^\/providers/)];
    for (const bearers of seen) {
      expect(bearers.size).toBe(each);
      for (const token of tokens) expect(bearers).not.toContain(shownAs(token));
    }
    expect(await grants(sandbox)).toHaveLength(2 * each);
  },
);

test('a write that is rejected for its token is retried with the next one, and executed once', async () => {
  const { issuer, sandbox, layer } = await start('client-credentials');
  const token = await issuer.token('ada');
  await ask(layer, token, customers);
  await fetch(`${sandbox.url}/sandbox/tokens`, { method: 'POST', body: '{"revoke":true}' });
  await sandbox.forgetCalls();

  const { data } = await ask(
    layer,
    token,
    'mutation { createCustomer(input: { displayName: "Once" }) { customer { number } userErrors { code } } }',
  );

  expect(data.createCustomer.userErrors).toEqual([]);
  const posts = (await sandbox.calls()).filter(
    ({ method, path }) => method === 'POST' && /customers/.test(path),
  );
  expect(posts.map(({ status }) => status)).toEqual([401, 201]);
});

test("on-behalf-of sends the caller's token to the token endpoint only, and the caller's rights apply", async () => {
  const { sandbox, layer } = await start('on-behalf-of', {
    JWT_ISSUER: '',
    JWT_AUDIENCE: '',
    JWT_JWKS_URL: '',
  });
  const token = 'reader-7d1f-canary';

  const read = await ask(layer, token, customers);
  const write = await ask(
    layer,
    token,
    'mutation { createCustomer(input: { displayName: "No" }) { userErrors { code } } }',
  );

  expect(read.errors).toBeUndefined();
  expect(JSON.stringify(write)).toMatch(/NOT_ALLOWED|FORBIDDEN/);
  expect(await bearersOf(sandbox, /./)).not.toContain(shownAs(token));
});

const claimsRequest = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}';
const inBase64 = Buffer.from(claimsRequest).toString('base64');

test('a token endpoint that refuses its client is UPSTREAM_NOT_CONFIGURED, and logged with its reason', async () => {
  const body = { error: 'invalid_client', error_description: 'AADSTS7000222: No.', error_codes: [7000222] };
  const { stub, layer } = await startBeforeStub(() => ({ status: 400, body }), onBehalfOf);

  const { errors } = await ask(layer, 'a-callers-token', customers);

  const extensions = { code: 'UPSTREAM_NOT_CONFIGURED', upstream: 'business' };
  expect(errors).toMatchObject([{ message: expect.stringContaining('BUSINESS_CLIENT_SECRET'), extensions }]);
  const logged = layer.lines().filter(({ area }) => area === 'business');
  expect(logged.map(({ reason }) => reason)).toEqual(['status 400, invalid_client, AADSTS7000222']);
  expect(stub.requests.map(({ target }) => target)).toEqual(['/token']);
});

test.for([
  ['as quoted JSON', `Bearer realm="", claims="${claimsRequest.replaceAll('"', '\\"')}"`],
  ['in the second of two headers', ['Basic realm="x"', `Bearer realm="", claims="${inBase64}"`]],
] as const)("an upstream's claims challenge, %s, is passed on, also for writes", async ([, header]) => {
  const headers = { 'www-authenticate': header as string };
  const { layer } = await startBeforeStub(() => ({ status: 401, headers, body: {} }));
  const input = actionInput({ ...place, applicationInstanceName: 'app01' });

  for (const [query, area] of [
    [customers, 'business'],
    [health, 'health'],
    [stop, 'instances'],
  ] as const) {
    const { errors } = await ask(layer, 'a-callers-token', query, query === stop ? { input } : {});
    const extensions = { code: 'UNAUTHENTICATED', upstream: area, claims: inBase64 };
    expect(errors).toMatchObject([{ message: expect.stringContaining('extensions.claims'), extensions }]);
  }
});

test('with client-credentials an operation is followed by the caller that started it alone, and one without an owner by none', async () => {
  const { issuer, sandbox, layer } = await start('client-credentials');
  const forwarding = await startLayerForTest(sandbox.url, issuer.settings);
  const [ada, adaLater, grace] = (await Promise.all(
    ['ada', 'ada', 'grace'].map((name) => issuer.token(name)),
  )) as [string, string, string];
  const startStop = async (through: TestLayer, applicationInstanceName: string): Promise<string> => {
    const input = actionInput({ ...place, applicationInstanceName });
    return (await ask(through, ada, stop, { input })).data.stopApplicationInstance.operation.id;
  };
  const id = await startStop(layer, 'app01');
  const ownerless = await startStop(forwarding, 'app02');

  const query = 'query ($id: ID!) { instanceOperation(id: $id) { state } }';
  const own = await ask(layer, adaLater, query, { id });
  const refused = [
    await ask(layer, grace, query, { id }),
    await firstOf(layer.watch(progress, { id }, grace)),
    await ask(layer, ada, query, { id: ownerless }),
  ];
  const states = await collect(layer.watchEvents(progress, { id }, ada));

  expect(own.data.instanceOperation.state).toBe('RUNNING');
  expect(states.at(-1)).toMatchObject({ state: 'SUCCEEDED' });
  for (const { errors } of refused) expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

test('with client-credentials callers are distinguished by identity: reads of two are never shared', async () => {
  const { issuer, sandbox, layer } = await start('client-credentials');
  const [ada, adaLater, grace] = await Promise.all(['ada', 'ada', 'grace'].map((name) => issuer.token(name)));
  await ask(layer, ada as string, customers);
  await sandbox.forgetCalls();
  await sandbox.fault({ path: '/api/', delayMs: 300, times: 3 });

  await Promise.all([ada, adaLater, grace].map((token) => ask(layer, token as string, customers)));

  expect((await sandbox.calls()).filter(({ path }) => path.startsWith('/api'))).toHaveLength(2);
});

test('without verification the graph is available on localhost only, whatever name resolves to it', async () => {
  const { layer } = await start('client-credentials', { JWT_ISSUER: '', JWT_AUDIENCE: '', JWT_JWKS_URL: '' });
  const { host, port } = new URL(layer.url);
  const ask = async (named: string) => {
    const headers = { host: named, 'content-type': 'application/json' };
    const request = sendRequest(`${layer.url}/graphql?query={__typename}`, { headers }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const connect = async (named: string) => {
    const headers = { host: named, origin: `http://${named}` };
    const socket = new WebSocket(`ws://${host}/graphql`, 'graphql-transport-ws', { headers });
    const [opened] = await Promise.race([once(socket, 'open'), once(socket, 'unexpected-response')]);
    socket.on('error', () => {}).terminate();
    return opened === undefined;
  };

  for (const named of [host, `localhost:${port}`, `[::1]:${port}`, 'localhost']) {
    expect(await ask(named)).toBe(200);
    expect(await connect(named)).toBe(true);
  }
  for (const named of [`evil.example:${port}`, 'localhost.evil.example', 'xlocalhost']) {
    expect(await ask(named)).toBe(403);
    expect(await connect(named)).toBe(false);
  }
});

test('where a service token is used, a token in its own header does not replace the scope', async () => {
  const { issuer, sandbox, layer } = await start('client-credentials', {
    MANAGEMENT_TOKEN_HEADER: 'x-management',
  });
  const askWith = async (claims: string) => {
    const authorization = `Bearer ${await issuer.token('ada', claims)}`;
    return layer.query(health, {}, { authorization, 'x-management': 'Bearer anything' });
  };

  expect((await askWith('none')).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(await sandbox.calls()).toEqual([]);
  expect((await askWith('user_impersonation')).errors).toBeUndefined();
});
