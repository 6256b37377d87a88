import { createHash } from 'node:crypto';
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
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { InputError } from '../errors.ts';

/** What a verified token says of its bearer. */
export interface VerifiedCaller {
  readonly issuer: string;
  readonly subject: string;
  /** From `scp`, `scope` (texts separated by spaces, or lists) and `roles` (a list). */
  readonly scopes: ReadonlySet<string>;
  /** When the token ends, in milliseconds since 1970: it is taken for a minute longer, as clocks differ. */
  readonly expiresAt: number;
}

export interface Verifier {
  /** The bearer of a token that was verified a moment ago; null where it takes a proof. */
  known(token: string): VerifiedCaller | null;
  /** Throws `InputError` with the code UNAUTHENTICATED, whose message says what to do and never holds anything of the token. */
  verify(token: string, requestId?: string): Promise<VerifiedCaller>;
}

export interface VerifierOptions {
  readonly issuer: string;
  readonly audience: string;
  /** Where the issuer publishes its keys; nothing is fetched from anywhere else, whatever a token names. */
  readonly jwksUrl: string;
  readonly log: Logger;
}

const maxTokenLength = 8 * 1024;
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA'.split(' ');
const toleranceSeconds = 60;

const keysKeptMs = 10 * 60_000;
const keysSearchedMs = 30_000;
const keysRetriedMs = 5_000;
const keysTimeoutMs = 5_000;
const maxKeysBytes = 256 * 1024;

const maxRemembered = 2_000;
const rememberedMs = 60_000;

const tooLong = `The token is too long: send one of ${maxTokenLength} characters at most.`;
const ended = 'The token has ended: sign in again and send the new one.';
const refused = 'The token is not one for this layer: sign in and send the access token given for it.';
const unchecked = 'Tokens cannot be checked right now: send the same again in some seconds.';

/** Verifies callers' tokens by the keys their issuer publishes, fetched when the first token needs them. */
export function createVerifier({ issuer, audience, jwksUrl, log }: VerifierOptions): Verifier {
  // By a digest, as a token is never kept. Until when is told by a clock that nobody sets.
  const remembered = new LRUCache<string, { readonly caller: VerifiedCaller; readonly until: number }>({
    max: maxRemembered,
  });
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    cacheMaxAge: keysKeptMs,
    cooldownDuration: keysSearchedMs,
    timeoutDuration: keysTimeoutMs,
    [customFetch]: createKeysFetch(log, () => remembered.clear()),
  });
  // Called before a key is looked for: what is refused here causes no fetch.
  const keyFor: JWTVerifyGetKey = (header, jws) => {
    if (!isHeaderTaken(header)) throw new errors.JWSInvalid();
    return keys(header, jws);
  };
  const options = {
    algorithms,
    issuer,
    audience,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: toleranceSeconds,
  };

  const refusal = (error: unknown, requestId?: string): InputError => {
    if (error instanceof InputError) return error;
    const { code, claim } = error as Partial<errors.JWTClaimValidationFailed>;
    log.debug({ requestId, code, claim }, 'A token was refused.');
    return new InputError(error instanceof errors.JWTExpired ? ended : refused, 'UNAUTHENTICATED');
  };

  const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url');

  const knownBearer = (token: string): VerifiedCaller | null => {
    if (token.length > maxTokenLength) return null;
    const known = remembered.get(digestOf(token));
    return known && performance.now() < known.until && keys.fresh ? known.caller : null;
  };

  return {
    known: knownBearer,

    async verify(token, requestId) {
      if (token.length > maxTokenLength) throw new InputError(tooLong, 'UNAUTHENTICATED');
      const known = knownBearer(token);
      if (known) return known;
      try {
        if (!isCompact(token)) throw new errors.JWSInvalid();
        const caller = callerOf((await jwtVerify(token, keyFor, options)).payload, issuer);
        const leftMs = Math.min(caller.expiresAt - Date.now(), rememberedMs);
        if (leftMs > 0) remembered.set(digestOf(token), { caller, until: performance.now() + leftMs });
        return caller;
      } catch (error) {
        throw refusal(error, requestId);
      }
    },
  };
}

/**
 * Three parts, of the alphabet they are written in alone. Decoders skip spaces and the bits left over at the end
 * of a signature, so that one token could be written in many ways; only the one its issuer wrote is taken.
 */
function isCompact(token: string): boolean {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token)?.[1];
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

/** A `typ` tells tokens for other ends from ours. Of all that `crit` may name, `jose` itself knows `b64` alone. */
function isHeaderTaken({ b64, typ }: JWSHeaderParameters): boolean {
  if (b64 !== undefined) return false;
  return typ === undefined || (typeof typ === 'string' && /^(application\/)?(at\+)?jwt$/i.test(typ));
}

// Of tokens that tell an application who signed in (OpenID Connect) or what happened (RFC 8417).
const foreignClaims = ['at_hash', 'c_hash', 'events'];

// What `jose` leaves to us: it takes a token issued in the future, a subject of any kind, and 1e999 as an end.
function callerOf(claims: JWTPayload, issuer: string): VerifiedCaller {
  const { sub, exp = Number.NaN, iat = 0, scp, scope, roles } = claims;
  const expiresAt = exp * 1_000;
  if (
    typeof sub !== 'string' ||
    sub === '' ||
    !Number.isFinite(expiresAt) ||
    iat > Date.now() / 1_000 + toleranceSeconds ||
    foreignClaims.some((claim) => Object.hasOwn(claims, claim))
  )
    throw new errors.JWTInvalid();
  const scopes = new Set([
    ...textsOf(scp),
    ...textsOf(scope),
    ...(Array.isArray(roles) ? textsOf(roles) : []),
  ]);
  return { issuer, subject: sub, scopes, expiresAt };
}

function textsOf(claim: unknown): string[] {
  const values: readonly unknown[] = typeof claim === 'string' ? claim.split(' ') : [claim].flat();
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

/**
 * Fetches a set of keys, bounded in size. `jose` bounds the time, follows no redirect, and fetches once however
 * many wait, but after a failure again for each token: here a failure stands for some seconds.
 */
function createKeysFetch(log: Logger, onFetched: () => void): FetchImplementation {
  let isOut = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  return async (url, init) => {
    if (performance.now() < failedAt + keysRetriedMs) throw new InputError(unchecked, 'UNAUTHENTICATED');
    try {
      const answer = await fetch(url, init);
      if (answer.status !== 200) throw new Error(`The answer is ${answer.status}.`);
      const keys = await readKeys(answer);
      // Throws where they are none.
      createLocalJWKSet(keys);
      isOut = false;
      onFetched();
      return Response.json(keys);
    } catch (error) {
      failedAt = performance.now();
      const { cause, message } = error as { cause?: { code?: string }; message: string };
      if (!isOut) {
        log.warn(
          { reason: cause?.code ?? message },
          'The keys of tokens cannot be fetched: tokens that need them are refused.',
        );
      }
      isOut = true;
      throw new InputError(unchecked, 'UNAUTHENTICATED');
    }
  };
}

async function readKeys({ body }: Response): Promise<JSONWebKeySet> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > maxKeysBytes) throw new Error('The answer is too long.');
    pieces.push(piece);
  }
  return (await new Response(Buffer.concat(pieces)).json()) as JSONWebKeySet;
}
