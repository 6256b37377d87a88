import { isJsonObject } from '../../runtime/json.ts';
import { computeMac, deriveKey } from '../../runtime/keyring.ts';
import type { Redact, ResponseHeaders } from '../response.ts';

/** Reads the token of an `Authorization: Bearer …` header (scheme in any case); null without one. */
export function readBearerToken(header: string | undefined | null): string | null {
  const match = /^bearer +([\x21-\x7e]+)$/i.exec(header?.trim() ?? '');
  return match?.[1] ?? null;
}

/**
 * Creates the function that hashes a token or a verified identity into a principal. The hash is an HMAC: equal on every
 * replica with this secret, and the token cannot be recovered from it.
 */
export function createPrincipalHasher(secret: string): (...parts: readonly string[]) => string {
  const key = deriveKey(secret, 'tributary principal');
  return (...parts) => computeMac(key, JSON.stringify(parts));
}

const maxClaimsLength = 8_192;

export const claimsRequired =
  'The upstream asks for a stronger sign-in. Sign in again with the claims in `extensions.claims`, and resend.';

/**
 * Encodes the JSON of a claims request in Base64, which is safe in a header; null if it is not a JSON object or if
 * redaction would change it.
 */
export function encodeClaims(json: unknown, redact: Redact = (text) => text): string | null {
  if (typeof json !== 'string' || json.length > maxClaimsLength || redact(json, 'claims') !== json)
    return null;
  try {
    return isJsonObject(JSON.parse(json)) ? Buffer.from(json).toString('base64') : null;
  } catch {
    return null;
  }
}

/** Reads the claims request of `WWW-Authenticate`, which is Base64 or quoted JSON; null without one. */
export function readClaims(headers: ResponseHeaders, redact: Redact): string | null {
  const challenges = [headers['www-authenticate'] ?? []].flat().join(', ');
  const encoded =
    /(?:^|[\s,])claims="((?:[^"\\]|\\.)*)"/i.exec(challenges)?.[1]?.replace(/\\(.)/g, '$1') ?? '';
  return encodeClaims(encoded, redact) ?? encodeClaims(Buffer.from(encoded, 'base64').toString(), redact);
}

/** Returns the value of `WWW-Authenticate`, with the claims request if there is one. */
export const toChallenge = (claims: string | null): string =>
  claims === null ? 'Bearer' : `Bearer error="insufficient_claims", claims="${claims}"`;
