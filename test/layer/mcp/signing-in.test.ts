import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { writeManifest } from '../../support/mcp.ts';
import { startStub } from '../../support/stub.ts';

type SigningKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** A server in front of which the official client signs in. `visited` are the pages that it opens for that. */
async function startSigningIn(accessToken?: (issuer: string, key: SigningKey) => Promise<string>) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256' }];
  const authorizationServer = await startStub(({ target }) => {
    const issuer = authorizationServer.url;
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    };
    if (target === '/keys') return { body: { keys } };
    return target.startsWith('/.well-known/') ? { body: metadata } : { status: 404 };
  });
  const manifest = writeManifest([
    'mutation Add($input: CreateCustomerInput!) { createCustomer(input: $input) { userErrors { code } } }',
  ]);
  // In `dev` the resource is where the client has reached it.
  const layer = await startTestLayer('http://127.0.0.1:9', {
    MCP: 'on',
    TRUSTED_DOCUMENTS_MANIFEST: manifest.path,
    WRITE_SCOPES: 'records.write, records.all',
    JWT_ISSUER: authorizationServer.url,
    JWT_AUDIENCE: 'api://tributary',
    JWT_JWKS_URL: `${authorizationServer.url}/keys`,
  });
  onTestFinished(async () => {
    await layer.stop();
    authorizationServer.stop();
    manifest.remove();
  });
  const token = accessToken && (await accessToken(authorizationServer.url, privateKey));
  const visited: URL[] = [];
  const redirectUrl = 'http://127.0.0.1/signed-in';
  const client = new Client({ name: 'test-agent', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${layer.url}/mcp`), {
    authProvider: {
      redirectUrl,
      clientMetadata: { redirect_uris: [redirectUrl] },
      clientInformation: () => ({ client_id: 'agent' }),
      tokens: () => (token ? { access_token: token, token_type: 'Bearer' } : undefined),
      saveTokens: () => {},
      redirectToAuthorization: (url) => void visited.push(url),
      saveCodeVerifier: () => {},
      codeVerifier: () => 'verifier',
    },
  });

  return { authorizationServer, layer, client, transport, visited };
}

test('the official client asks for the scopes of a tool that its token lacks', async () => {
  const { client, transport, visited } = await startSigningIn((issuer, key) =>
    new SignJWT({ scp: 'records.read' })
      .setProtectedHeader({ alg: 'ES256', kid: 'first' })
      .setIssuer(issuer)
      .setAudience('api://tributary')
      .setSubject('ada')
      .setExpirationTime('1h')
      .sign(key),
  );
  await client.connect(transport);
  const call = client.callTool({ name: 'Add', arguments: { input: { displayName: 'New' } } });

  await expect(call).rejects.toBeInstanceOf(UnauthorizedError);
  expect(visited.map((page) => page.searchParams.get('scope'))).toEqual(['records.write records.all']);
  await client.close();
});

test('the official client finds the authorization server, and asks it for a token for this server', async () => {
  const { authorizationServer, layer, client, transport, visited } = await startSigningIn();

  await expect(client.connect(transport)).rejects.toBeInstanceOf(UnauthorizedError);
  const [page] = visited;
  expect(page?.href).toContain(`${authorizationServer.url}/authorize?`);
  expect(page?.searchParams.get('resource')).toBe(`${layer.url}/mcp`);
  expect(page?.searchParams.get('client_id')).toBe('agent');
});
