import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
} from 'oauth4webapi';
import { UpstreamError, type UpstreamName } from '../errors.ts';

/** The layer's own token for an upstream, got by its id and secret (OAuth 2.0, client credentials). */
export interface ServiceToken {
  /** A token that is good for now: kept until shortly before it ends, and fetched once however many wait. Throws `UpstreamError`. */
  get(): Promise<string>;
  /** To be called with one the upstream did not accept: it is not handed out again. */
  forget(token: string): void;
}

export interface ServiceTokenOptions {
  readonly upstream: UpstreamName;
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  readonly timeoutMs: number;
}

// A token is not used in its last minute, or in the last tenth of a short life.
const marginMs = 60_000;
const usualLifeMs = 300_000;

export function createServiceToken(options: ServiceTokenOptions): ServiceToken {
  const { url, clientId, clientSecret, scope, timeoutMs } = options;
  const server: AuthorizationServer = { issuer: new URL(url).origin, token_endpoint: url };
  const client = { client_id: clientId };
  let held: { readonly token: string; readonly until: number } | null = null;
  let fetching: Promise<string> | null = null;

  const fetchToken = async (): Promise<string> => {
    try {
      const response = await clientCredentialsGrantRequest(
        server,
        client,
        ClientSecretPost(clientSecret),
        scope === null ? {} : { scope },
        { signal: AbortSignal.timeout(timeoutMs), [allowInsecureRequests]: url.startsWith('http:') },
      );
      const answer = await processClientCredentialsResponse(server, client, response);
      const lifeMs = answer.expires_in === undefined ? usualLifeMs : answer.expires_in * 1_000;
      held = {
        token: answer.access_token,
        until: Date.now() + lifeMs - Math.min(marginMs, lifeMs / 10),
      };
      return answer.access_token;
    } catch (error) {
      throw failureOf(options.upstream, error);
    }
  };

  return {
    async get() {
      if (held && Date.now() < held.until) return held.token;
      fetching ??= fetchToken().finally(() => {
        fetching = null;
      });
      return fetching;
    },
    forget(token) {
      if (held?.token === token) held = null;
    },
  };
}

// The library's errors hold the answer, with whatever stands in it: nothing of them is kept.
function failureOf(upstream: UpstreamName, error: unknown): UpstreamError {
  const { status } = error as { status?: unknown };
  const isRefused = typeof status === 'number' && status >= 400 && status < 500 && status !== 429;
  return new UpstreamError(
    isRefused ? 'UNAUTHENTICATED' : 'UPSTREAM_UNAVAILABLE',
    isRefused ? 'The layer was refused a token of its own.' : 'The layer could not get a token of its own.',
    { upstream, fate: 'unsent', ...(typeof status === 'number' && { status }) },
  );
}
