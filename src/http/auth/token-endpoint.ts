import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  genericTokenEndpointRequest,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
} from 'oauth4webapi';
import type { Reloadable } from '../../runtime/reloadable.ts';
import type { OutboundFetch } from '../wire/outbound-fetch.ts';
import { TokenError, type TokenGrant } from './token-cache.ts';

/** An OAuth 2.0 token endpoint, with Tributary's client credentials. */
export interface TokenEndpoint {
  /** Requests a token for Tributary itself (RFC 6749, section 4.4). Throws `TokenError`. */
  requestOwnToken(): Promise<TokenGrant>;
  /** Requests a token on behalf of the caller with this token (RFC 7523, `on_behalf_of`). Throws `TokenError`. */
  requestTokenOnBehalfOf(callersToken: string): Promise<TokenGrant>;
}

export interface TokenEndpointOptions {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: Reloadable<string>;
  readonly scope: string | null;
  readonly timeoutMs: number;
  readonly fetch: OutboundFetch;
}

const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { url, clientId, clientSecret, timeoutMs } = options;
  const server: AuthorizationServer = { issuer: new URL(url).origin, token_endpoint: url };
  const client = { client_id: clientId };
  const secret = () => ClientSecretPost(clientSecret.current);
  const scope: Record<string, string> = options.scope === null ? {} : { scope: options.scope };
  const limits = () => ({
    signal: AbortSignal.timeout(timeoutMs),
    [customFetch]: options.fetch,
    [allowInsecureRequests]: url.startsWith('http:'),
  });

  return {
    async requestOwnToken() {
      try {
        const response = await clientCredentialsGrantRequest(server, client, secret(), scope, limits());
        return readGrant(
          await processClientCredentialsResponse(server, client, await removeIdToken(response)),
        );
      } catch (error) {
        throw toTokenError(error, 'The token endpoint refused a token for this deployment.');
      }
    },
    async requestTokenOnBehalfOf(callersToken) {
      try {
        const parameters = { ...scope, assertion: callersToken, requested_token_use: 'on_behalf_of' };
        const response = await genericTokenEndpointRequest(
          server,
          client,
          secret(),
          jwtBearerGrant,
          parameters,
          limits(),
        );
        return readGrant(
          await processGenericTokenEndpointResponse(server, client, await removeIdToken(response)),
        );
      } catch (error) {
        throw toTokenError(error, 'The token was not accepted. Sign in again and resend.');
      }
    },
  };
}

function readGrant(response: { readonly access_token: string; readonly expires_in?: number }): TokenGrant {
  // Checked here: a token that no header can carry would fail each call, as if the call had been sent.
  if (!/^[\x21-\x7e]+$/.test(response.access_token)) throw new Error('not a bearer token');
  return {
    token: response.access_token,
    lifetimeMs: response.expires_in === undefined ? null : response.expires_in * 1_000,
  };
}

// The ID token is not needed here, and the library would verify it, for which it has no keys.
async function removeIdToken(response: Response): Promise<Response> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { id_token?: unknown } | null;
  if (!response.ok || body?.id_token === undefined) return response;
  return Response.json({ ...body, id_token: undefined }, { status: response.status });
}

// The library's errors hold the response, which may hold secrets: nothing of them is kept.
function toTokenError(error: unknown, refusal: string): TokenError {
  const { status } = error as { status?: unknown };
  const isRefused = typeof status === 'number' && status >= 400 && status < 500 && status !== 429;
  return isRefused
    ? new TokenError('UNAUTHENTICATED', refusal)
    : new TokenError(
        'UPSTREAM_UNAVAILABLE',
        'The token endpoint did not grant a token for the upstream. Try again later.',
      );
}
