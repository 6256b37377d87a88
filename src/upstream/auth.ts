import { createHmac, randomBytes } from 'node:crypto';

const key = randomBytes(32);

/** The token of an `Authorization: Bearer …` header, or null when there is none. The scheme's case is free. */
export function bearerToken(header: string | undefined | null): string | null {
  const match = /^bearer +([\x21-\x7e]+)$/i.exec(header?.trim() ?? '');
  return match?.[1] ?? null;
}

/** What keeps callers apart: the same token gives the same name, and the name gives no token back. */
export function principalOf(token: string): string {
  return createHmac('sha256', key).update(token).digest('base64url');
}
