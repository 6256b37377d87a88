import { computeMac, deriveKey } from '../../runtime/keyring.ts';

/** Reads the token of an `Authorization: Bearer …` header, whose scheme may be in any case; null without one. */
export function readBearerToken(header: string | undefined | null): string | null {
  const match = /^bearer +([\x21-\x7e]+)$/i.exec(header?.trim() ?? '');
  return match?.[1] ?? null;
}

/**
 * Creates the function that turns a token or a verified identity into a principal: an HMAC, the same on every replica with
 * this secret, from which the token cannot be recovered.
 */
export function createPrincipalHasher(secret: string): (...parts: readonly string[]) => string {
  const key = deriveKey(secret, 'tributary principal');
  return (...parts) => computeMac(key, JSON.stringify(parts));
}
