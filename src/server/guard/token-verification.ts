import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import type { Logger } from 'pino';
import { InputError } from '../../errors.ts';
import { type CallerTokens, keyOfIdentity } from '../caller-tokens.ts';

export interface VerifiedCaller {
  readonly issuer: string;
  readonly subject: string;
  /** Identifies the caller by issuer and subject. */
  readonly key: string;
  /** From `scp`, `scope` (space-separated strings, or lists) and `roles` (a list). */
  readonly scopes: ReadonlySet<string>;
  /**
   * Expiry, in milliseconds since 1970. Requests are accepted for 60 s longer, to allow for clock skew; subscriptions end at
   * this time.
   */
  readonly expiresAt: number;
}

export interface TokenVerifier {
  /** Returns the claims of a recently verified token of area A; null if it must be verified. */
  getCached(tokens: CallerTokens): VerifiedCaller | null;
  /**
   * Throws `InputError` with the code UNAUTHENTICATED. Its message says what to do and contains no part of the token.
   */
  verify(tokens: CallerTokens, requestId?: string): Promise<VerifiedCaller>;
}

export interface TokenVerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  /** URL of the issuer's key set. No other URL is fetched, whatever a token's header names. */
  readonly jwksUrl: string;
  readonly fetch: FetchImplementation;
  readonly log: Logger;
}

const maxTokenLength = 8 * 1024;
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ');
const clockToleranceSeconds = 60;

const jwksCacheMs = 10 * 60_000;
const jwksCooldownMs = 30_000;
const jwksRetryMs = 5_000;
const jwksTimeoutMs = 5_000;
const maxJwksBytes = 256 * 1024;

const tokenCacheMs = 60_000;

const tokenMissing =
  'The request has no token. Send the header `Authorization: Bearer <token>` (over WebSocket: `authorization` in connection_init).';
const tokenTooLong = `The token is too long. Send one of at most ${maxTokenLength} characters.`;
const tokenExpired = 'The token has expired. Sign in again and send the new one.';
const tokenInvalid =
  'The token is not valid for this server. Sign in and send the access token issued for it.';
const jwksUnavailable =
  'Tokens cannot be verified at the moment. Send the same request again in a few seconds.';

/** Verifies tokens (JWT) with the issuer's published keys, which are fetched for the first token. */
export function createTokenVerifier({
  issuer,
  audience,
  jwksUrl,
  fetch,
  log,
}: TokenVerifierOptions): TokenVerifier {
  // `until` is on the clock of `performance.now()`.
  let verified = new WeakMap<CallerTokens, { readonly caller: VerifiedCaller; readonly until: number }>();
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    cacheMaxAge: jwksCacheMs,
    cooldownDuration: jwksCooldownMs,
    timeoutDuration: jwksTimeoutMs,
    [customFetch]: createJwksFetch(fetch, log, () => {
      // A key that is no longer published must verify no token.
      verified = new WeakMap();
    }),
  });
  // Called before the key lookup, so that an invalid header does not cause a fetch.
  const findKey: JWTVerifyGetKey = (header, jws) => {
    if (!isHeaderAccepted(header)) throw new errors.JWSInvalid();
    return keys(header, jws);
  };
  const options = {
    algorithms,
    issuer,
    audience,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: clockToleranceSeconds,
  };

  const toInputError = (error: unknown, requestId?: string): InputError => {
    if (error instanceof InputError) return error;
    const { code, claim } = error as Partial<errors.JWTClaimValidationFailed>;
    log.debug({ requestId, code, claim }, 'Token rejected.');
    return new InputError(
      error instanceof errors.JWTExpired ? tokenExpired : tokenInvalid,
      'UNAUTHENTICATED',
    );
  };

  const getCached = (tokens: CallerTokens): VerifiedCaller | null => {
    const cached = verified.get(tokens);
    return cached && performance.now() < cached.until && keys.fresh ? cached.caller : null;
  };

  return {
    getCached,

    async verify(tokens, requestId) {
      const { business: token } = tokens;
      if (token === null) throw new InputError(tokenMissing, 'UNAUTHENTICATED');
      if (token.length > maxTokenLength) throw new InputError(tokenTooLong, 'UNAUTHENTICATED');
      const cached = getCached(tokens);
      if (cached) return cached;
      try {
        if (!isCanonicalJws(token)) throw new errors.JWSInvalid();
        const caller = readClaims((await jwtVerify(token, findKey, options)).payload, issuer);
        const cacheMs = Math.min(caller.expiresAt - Date.now(), tokenCacheMs);
        if (cacheMs > 0) verified.set(tokens, { caller, until: performance.now() + cacheMs });
        return caller;
      } catch (error) {
        throw toInputError(error, requestId);
      }
    },
  };
}

/**
 * Whether a token is the canonical encoding of a JWS. Decoders ignore whitespace and the unused bits at the end of the
 * signature, so that one token could have many encodings.
 */
function isCanonicalJws(token: string): boolean {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** Rejects token types not meant for APIs. `b64` is the only extension of `crit` that `jose` supports. */
function isHeaderAccepted({ b64, typ }: JWSHeaderParameters): boolean {
  if (b64 !== undefined) return false;
  return typ === undefined || (typeof typ === 'string' && /^(application\/)?(at\+)?jwt$/i.test(typ));
}

// Claims of ID tokens (OpenID Connect) and security event tokens (RFC 8417).
const foreignClaims = ['at_hash', 'c_hash', 'events'];

// Checks what `jose` does not: it accepts a future `iat`, a `sub` of any type, and `exp: 1e999`.
function readClaims(claims: JWTPayload, issuer: string): VerifiedCaller {
  const { sub, exp = Number.NaN, iat = 0, scp, scope, roles } = claims;
  const expiresAt = exp * 1_000;
  if (
    typeof sub !== 'string' ||
    sub === '' ||
    !Number.isFinite(expiresAt) ||
    iat > Date.now() / 1_000 + clockToleranceSeconds ||
    foreignClaims.some((claim) => Object.hasOwn(claims, claim))
  )
    throw new errors.JWTInvalid();
  const scopes = new Set([
    ...readStrings(scp),
    ...readStrings(scope),
    ...(Array.isArray(roles) ? readStrings(roles) : []),
  ]);
  const key = keyOfIdentity(issuer, sub);
  return { issuer, subject: sub, key, scopes, expiresAt };
}

function readStrings(claim: unknown): string[] {
  const values: readonly unknown[] = typeof claim === 'string' ? claim.split(' ') : [claim].flat();
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

/**
 * Fetches a key set of limited size. `jose` limits the time, follows no redirects and shares one fetch. After a failure
 * it would fetch again for each token, so a failure is remembered for five seconds.
 */
function createJwksFetch(
  fetch: FetchImplementation,
  log: Logger,
  onFetched: () => void,
): FetchImplementation {
  let isFailing = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (url, init) => {
    if (performance.now() < failedAt + jwksRetryMs) throw new InputError(jwksUnavailable, 'UNAUTHENTICATED');
    try {
      const response = await fetch(url, init);
      if (response.status !== 200) throw new Error(`HTTP status ${response.status}`);
      const keys = await readJwks(response);
      // Throws if the keys are invalid.
      createLocalJWKSet(keys);
      isFailing = false;
      onFetched();
      return Response.json(keys);
    } catch (error) {
      failedAt = performance.now();
      const { cause, message } = error as { cause?: { code?: string }; message: string };
      if (!isFailing) {
        log.warn(
          { reason: cause?.code ?? message },
          'Cannot fetch the keys of JWT_JWKS_URL. Tokens that need them are rejected.',
        );
      }
      isFailing = true;
      throw new InputError(jwksUnavailable, 'UNAUTHENTICATED');
    }
  };
}

async function readJwks({ body }: Response): Promise<JSONWebKeySet> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > maxJwksBytes) throw new Error('The response is too large.');
    chunks.push(chunk);
  }
  return (await new Response(Buffer.concat(chunks)).json()) as JSONWebKeySet;
}
