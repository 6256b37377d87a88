import { createHmac, hkdfSync } from 'node:crypto';

/** The token of an `Authorization: Bearer …` header, or null when there is none. The scheme's case is free. */
export function bearerToken(header: string | undefined | null): string | null {
  const match = /^bearer +([\x21-\x7e]+)$/i.exec(header?.trim() ?? '');
  return match?.[1] ?? null;
}

/**
 * What keeps callers apart: one token, or one verified identity, gives one name on every replica with this secret,
 * and the name gives neither back.
 */
export function createPrincipals(secret: string): (...parts: readonly string[]) => string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'tributary principal', 32));
  return (...parts) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}
