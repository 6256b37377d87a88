import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  genericTokenEndpointRequest,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
} from 'oauth4webapi';
import { type Grant, TokenError } from './held-token.ts';

/** Where the layer is given tokens for an upstream (OAuth 2.0), for its id and secret. */
export interface TokenEndpoint {
  /** A token for the layer itself (RFC 6749, section 4.4). Throws `TokenError`. */
  forItself(): Promise<Grant>;
  /** A token in the name of the caller whose token this is (RFC 7523, `on_behalf_of`). Throws `TokenError`. */
  onBehalfOf(callersToken: string): Promise<Grant>;
}

export interface TokenEndpointOptions {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  readonly timeoutMs: number;
}

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { url, clientId, clientSecret, timeoutMs } = options;
  const server: AuthorizationServer = { issuer: new URL(url).origin, token_endpoint: url };
  const client = { client_id: clientId };
  const secret = ClientSecretPost(clientSecret);
  const scope: Record<string, string> = options.scope === null ? {} : { scope: options.scope };
  const limits = () => ({
    signal: AbortSignal.timeout(timeoutMs),
    [allowInsecureRequests]: url.startsWith('http:'),
  });

  return {
    async forItself() {
      try {
        const response = await clientCredentialsGrantRequest(server, client, secret, scope, limits());
        return grantOf(
          await processClientCredentialsResponse(server, client, await withoutIdToken(response)),
        );
      } catch (error) {
        throw failureOf(error, 'The layer was refused a token of its own.');
      }
    },
    async onBehalfOf(callersToken) {
      try {
        const asked = { ...scope, assertion: callersToken, requested_token_use: 'on_behalf_of' };
        const response = await genericTokenEndpointRequest(
          server,
          client,
          secret,
          jwtBearer,
          asked,
          limits(),
        );
        return grantOf(
          await processGenericTokenEndpointResponse(server, client, await withoutIdToken(response)),
        );
      } catch (error) {
        throw failureOf(error, 'The token was not accepted. Sign in again and resend.');
      }
    },
  };
}

function grantOf(answer: { readonly access_token: string; readonly expires_in?: number }): Grant {
  // What no header can carry would fail each request, as if it had been sent.
  if (!/^[\x21-\x7e]+$/.test(answer.access_token)) throw new Error('not a bearer token');
  return {
    token: answer.access_token,
    lifeMs: answer.expires_in === undefined ? null : answer.expires_in * 1_000,
  };
}

// Who the caller is is not asked here; the library would verify what tells, for which it was given no keys.
async function withoutIdToken(response: Response): Promise<Response> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { id_token?: unknown } | null;
  if (!response.ok || body?.id_token === undefined) return response;
  return Response.json({ ...body, id_token: undefined }, { status: response.status });
}

// The library's errors hold the answer, with whatever stands in it: nothing of them is kept.
function failureOf(error: unknown, refusal: string): TokenError {
  const { status } = error as { status?: unknown };
  const isRefused = typeof status === 'number' && status >= 400 && status < 500 && status !== 429;
  return isRefused
    ? new TokenError('UNAUTHENTICATED', refusal)
    : new TokenError(
        'UPSTREAM_UNAVAILABLE',
        'The layer could not get a token for the upstream. Try again later.',
      );
}
