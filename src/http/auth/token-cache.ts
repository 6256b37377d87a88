import type { ErrorCode } from '../../errors.ts';

export interface TokenGrant {
  readonly token: string;
  /** Null if the endpoint did not send `expires_in`. */
  readonly lifetimeMs: number | null;
}

/** The token endpoint refused a token or cannot be reached. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly code: ErrorCode;
  /** The OAuth error code if the caller can resolve the failure, otherwise null. */
  readonly oauthError: string | null;
  /** The claims request, as in `UpstreamError`. */
  readonly claims: string | null;

  constructor(
    code: ErrorCode,
    message: string,
    { oauthError = null, claims = null }: Partial<Pick<TokenError, 'oauthError' | 'claims'>> = {},
  ) {
    super(message);
    this.code = code;
    this.oauthError = oauthError;
    this.claims = claims;
  }
}

/** Caches one token and renews it before it expires. */
export interface TokenCache {
  /** Returns a valid token. Concurrent calls share one request to the token endpoint, and its error. */
  get(): Promise<string>;
  /** Call if the upstream rejected this token. Returns whether `get` may return another. */
  invalidate(token: string): boolean;
}

// A token is renewed a minute or a tenth of its lifetime before it expires, whichever is less.
const renewalMarginMs = 60_000;
const defaultLifetimeMs = 300_000;
// Limits the renewals for an upstream that rejects every token.
const invalidationIntervalMs = 10_000;
// Limits the requests to a token endpoint that fails.
const failureCacheMs = 1_000;

export function createTokenCache(fetchGrant: () => Promise<TokenGrant>): TokenCache {
  let cached: { readonly token: string; readonly until: number } | null = null;
  let fetching: Promise<string> | null = null;
  let failed: { readonly error: unknown; readonly until: number } | null = null;
  let invalidatedAt = Number.NEGATIVE_INFINITY;

  const renew = async (): Promise<string> => {
    try {
      const { token, lifetimeMs } = await fetchGrant();
      const lifetime = lifetimeMs ?? defaultLifetimeMs;
      cached = { token, until: performance.now() + lifetime - Math.min(renewalMarginMs, lifetime / 10) };
      return token;
    } catch (error) {
      failed = { error, until: performance.now() + failureCacheMs };
      throw error;
    }
  };

  return {
    async get() {
      const now = performance.now();
      if (cached && now < cached.until) return cached.token;
      if (!fetching && failed && now < failed.until) throw failed.error;
      fetching ??= renew().finally(() => {
        fetching = null;
      });
      return fetching;
    },
    invalidate(token) {
      if (cached?.token !== token) return true;
      const now = performance.now();
      if (now - invalidatedAt < invalidationIntervalMs) return false;
      invalidatedAt = now;
      cached = null;
      return true;
    },
  };
}
