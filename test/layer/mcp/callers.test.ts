import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer } from '../../support/layer.ts';
import { answerOf, connectAgent, writeManifest } from '../../support/mcp.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { startStub } from '../../support/stub.ts';

const publicUrl = 'https://graph.example/base';

/** A server as it is deployed for agents: verified callers, and tokens of its own for both upstreams. */
async function start(settings: Record<string, string> = {}) {
  const issuer = await startIssuer();
  const sandbox = await startTestSandbox();
  const manifest = writeManifest([
    'query Customers { company { customers(first: 1) { nodes { number } } } }',
    'query Events { healthEvents(first: 1) { totalCount } }',
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
    const metadata =
      'resource_metadata="https://graph.example/.well-known/oauth-protected-resource/base/mcp"';
    expect(missing.headers.get('www-authenticate')).toBe(`Bearer ${metadata}`);
    expect(wrong.headers.get('www-authenticate')).toBe(`Bearer error="invalid_token", ${metadata}`);
    expect(await missing.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(await sandbox.calls()).toEqual([]);
  },
);

test('the official client finds the authorization server, and asks it for a token for this server', async () => {
  const authorizationServer = await startStub(({ target }) => {
    const issuer = authorizationServer.url;
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    };
    return target.startsWith('/.well-known/') ? { body: metadata } : { status: 404 };
  });
  // In `dev` the resource is where the client has reached it.
  const layer = await startTestLayer('http://127.0.0.1:9', {
    MCP: 'on',
    JWT_ISSUER: authorizationServer.url,
    JWT_AUDIENCE: 'api://tributary',
    JWT_JWKS_URL: `${authorizationServer.url}/keys`,
  });
  onTestFinished(async () => {
    await layer.stop();
    authorizationServer.stop();
  });
  const visited: URL[] = [];
  const redirectUrl = 'http://127.0.0.1/signed-in';
  const client = new Client({ name: 'test-agent', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${layer.url}/mcp`), {
    authProvider: {
      redirectUrl,
      clientMetadata: { redirect_uris: [redirectUrl] },
      clientInformation: () => ({ client_id: 'agent' }),
      tokens: () => undefined,
      saveTokens: () => {},
      redirectToAuthorization: (url) => void visited.push(url),
      saveCodeVerifier: () => {},
      codeVerifier: () => 'verifier',
    },
  });

  await expect(client.connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
  const [page] = visited;
  expect(page?.href).toContain(`${authorizationServer.url}/authorize?`);
  expect(page?.searchParams.get('resource')).toBe(`${layer.url}/mcp`);
  expect(page?.searchParams.get('client_id')).toBe('agent');
});

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

test('a tool needs the scopes that its operation needs on every transport', async () => {
  const { issuer, layer, sandbox } = await start();
  const client = await connectAgent(layer.url, { token: await issuer.token('ada', 'records.read') });
  const input = { id: '6c8412bf-6d98-42ce-bae5-f63018b7c03e', ifMatch: '*', patch: { city: 'Oslo' } };
  const write = await client.callTool({ name: 'Rename', arguments: { input } });
  const management = await client.callTool({ name: 'Events' });
  await client.close();

  expect(answerOf(write).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(answerOf(write).errors[0].message).toContain('records.write');
  expect(answerOf(management).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(await sandbox.calls()).toEqual([]);
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
  ['no page', {}, 200],
] as const)('%s', async ([_who, headers, status]) => {
  const { issuer, layer } = await start({ CORS_ORIGINS: 'https://agents.example' });
  const response = await post(layer.url, {
    authorization: `Bearer ${await issuer.token('ada')}`,
    ...headers,
  });

  expect(response.status).toBe(status);
});
