import { expect, onTestFinished, test } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer } from '../../support/layer.ts';
import { answerOf, connectAgent, writeManifest } from '../../support/mcp.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const publicUrl = 'https://graph.example/base';

/** A server as it is deployed for agents: verified callers, and tokens of its own for both upstreams. */
async function start(settings: Record<string, string> = {}) {
  const issuer = await startIssuer();
  const sandbox = await startTestSandbox();
  const manifest = writeManifest([
    'query Customers { company { customers(first: 1) { nodes { number } } } }',
    'query Events { healthEvents(first: 1) { totalCount } }',
    'query Both { company { customers(first: 1) { nodes { number } } } healthEvents(first: 1) { totalCount } }',
    'mutation Stop($instance: ApplicationInstanceReferenceInput!) { stopApplicationInstance(input: { instance: $instance }) { operation { id } userErrors { code } } }',
    'mutation Rename($input: UpdateCustomerInput!) { updateCustomer(input: $input) { userErrors { code } } }',
  ]);
  const credentials = (area: string) => ({
    [`${area}_AUTH`]: 'on-behalf-of',
    [`${area}_TOKEN_URL`]: `${sandbox.url}/common/oauth2/token`,
    [`${area}_CLIENT_ID`]: 'tributary',
    [`${area}_CLIENT_SECRET`]: 'sandbox-secret',
    [`${area}_SCOPE`]: `api://${area.toLowerCase()}/.default`,
  });
  const layer = await startTestLayer(
    sandbox.url,
    {
      ...issuer.settings,
      ...credentials('BUSINESS'),
      ...credentials('MANAGEMENT'),
      MCP: 'on',
      PUBLIC_URL: publicUrl,
      TRUSTED_DOCUMENTS: 'require',
      TRUSTED_DOCUMENTS_MANIFEST: manifest.path,
      WRITE_SCOPES: 'records.write',
      ...settings,
    },
    'serve',
  );
  onTestFinished(async () => {
    await layer.stop();
    await sandbox.stop();
    issuer.stop();
    manifest.remove();
  });
  return { issuer, sandbox, layer };
}

const post = (url: string, headers: Record<string, string>, body: unknown = listTools) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('the upstreams receive tokens obtained for the caller, never the token of the agent', async () => {
  const { issuer, layer, sandbox } = await start();
  const token = await issuer.token('ada');
  const client = await connectAgent(layer.url, { token });
  const customers = await client.callTool({ name: 'Customers' });
  const events = await client.callTool({ name: 'Events' });
  await client.close();

  expect([customers.isError, events.isError]).toEqual([undefined, undefined]);
  const calls = (await sandbox.calls()).filter(({ path }) => !path.startsWith('/common/oauth2/token'));
  expect(calls.length).toBeGreaterThan(1);
  for (const { headers } of calls) {
    expect(headers.authorization).toMatch(/^Bearer /);
    expect(headers.authorization).not.toContain(token);
  }
});

test.for(['initialize', 'tools/list', 'tools/call', 'server/discover', 'ping'])(
  '%s without a valid token is answered with where to sign in',
  async (method) => {
    const { layer, sandbox } = await start();
    const body = { jsonrpc: '2.0', id: 1, method, params: { name: 'Customers' } };
    const missing = await post(layer.url, {}, body);
    const wrong = await post(layer.url, { authorization: 'Bearer not-a-token' }, body);

    expect([missing.status, wrong.status]).toEqual([401, 401]);
    expect(missing.headers.get('www-authenticate')).toBe(`Bearer ${metadata}`);
    expect(wrong.headers.get('www-authenticate')).toBe(`Bearer error="invalid_token", ${metadata}`);
    expect(await missing.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(await sandbox.calls()).toEqual([]);
  },
);

test.for(['', '/base/mcp'])('the metadata of the protected resource is served to anyone%s', async (path) => {
  const { layer } = await start({ OPERATE_SCOPES: 'instances.operate' });
  const response = await fetch(`${layer.url}/.well-known/oauth-protected-resource${path}`);

  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(await response.json()).toEqual({
    resource: `${publicUrl}/mcp`,
    authorization_servers: ['https://issuer.example'],
    bearer_methods_supported: ['header'],
    scopes_supported: ['user_impersonation', 'records.write', 'instances.operate'],
    resource_name: 'Tributary',
  });
});

const callOf = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: 1 } },
});
const rename = callOf('Rename', {
  input: { id: '6c8412bf-6d98-42ce-bae5-f63018b7c03e', ifMatch: '*', patch: { city: 'Oslo' } },
});
const metadata = 'resource_metadata="https://graph.example/.well-known/oauth-protected-resource/base/mcp"';

test.for([
  ['a write', rename, 'records.write'],
  ['a stop', callOf('Stop', { instance: { nodeId: 'x' } }), 'instances.operate user_impersonation'],
  ['health events', callOf('Events'), 'user_impersonation'],
] as const)(
  '%s without the scopes for it is 403, with the scopes to ask for',
  async ([_what, call, scopes]) => {
    const { issuer, layer, sandbox } = await start({ OPERATE_SCOPES: 'instances.operate' });
    const anonymous = await post(layer.url, {}, call);
    const authorization = `Bearer ${await issuer.token('ada', 'records.read')}`;
    const forbidden = await post(layer.url, { authorization }, call);

    expect([anonymous.status, forbidden.status]).toEqual([401, 403]);
    expect(anonymous.headers.get('www-authenticate')).toBe(`Bearer scope="${scopes}", ${metadata}`);
    expect(forbidden.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="${scopes}", ${metadata}`,
    );
    expect(await forbidden.json()).toMatchObject({
      errors: [{ message: expect.stringContaining(scopes), extensions: { code: 'FORBIDDEN' } }],
    });
    expect(await sandbox.calls()).toEqual([]);
  },
);

test('the error of a field whose scopes the token lacks is one of the answer', async () => {
  const { issuer, layer, sandbox } = await start();
  const client = await connectAgent(layer.url, { token: await issuer.token('ada', 'records.read') });
  const result = await client.callTool({ name: 'Both' });
  await client.close();

  expect(answerOf(result)).toMatchObject({
    data: { company: { customers: { nodes: [{}] } }, healthEvents: null },
    errors: [{ path: ['healthEvents'], extensions: { code: 'FORBIDDEN' } }],
  });
  expect(await sandbox.calls()).toHaveLength(2);
});

test('a credential that is no bearer token is asked for one, without an error', async () => {
  const { layer } = await start();
  const response = await post(layer.url, { authorization: 'Basic eDp5' });

  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, `Bearer ${metadata}`]);
});

test('a page of any origin may ask for the metadata, with the revision of the protocol', async () => {
  for (const settings of [{}, { CORS_ORIGINS: 'https://agents.example' }] as Record<string, string>[]) {
    const { layer } = await start(settings);
    const preflight = await fetch(`${layer.url}/.well-known/oauth-protected-resource/base/mcp`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });

    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
  }
});

test('the rate of a caller covers its messages', async () => {
  const { issuer, layer } = await start({ MAX_REQUESTS_PER_SECOND: '1' });
  const authorization = `Bearer ${await issuer.token('ada')}`;
  const statuses = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const { status, headers } = await post(layer.url, { authorization });
      return [status, headers.get('retry-after')];
    }),
  );

  expect(statuses).toContainEqual([429, '1']);
});

test('a page of an allowed origin may send what the protocol needs, and read where to sign in', async () => {
  const { layer } = await start({ CORS_ORIGINS: 'https://agents.example' });
  const origin = 'https://agents.example';
  const preflight = await fetch(`${layer.url}/mcp`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-protocol-version',
    },
  });
  const response = await post(layer.url, { origin });

  expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
  expect(response.status).toBe(401);
  expect(response.headers.get('access-control-expose-headers')).toContain('www-authenticate');
});

test.for([
  ['a page of another origin', { origin: 'https://evil.example' }, 403],
  ['a page without an origin', { origin: 'null' }, 403],
  ['a cross-site request', { 'sec-fetch-site': 'cross-site' }, 403],
  ['an allowed origin', { origin: 'https://agents.example' }, 200],
  ['the origin of PUBLIC_URL, whose host a proxy has changed', { origin: 'https://graph.example' }, 200],
  ['no page', {}, 200],
] as const)('%s', async ([_who, headers, status]) => {
  const { issuer, layer } = await start({ CORS_ORIGINS: 'https://agents.example' });
  const response = await post(layer.url, {
    authorization: `Bearer ${await issuer.token('ada')}`,
    ...headers,
  });

  expect(response.status).toBe(status);
});
