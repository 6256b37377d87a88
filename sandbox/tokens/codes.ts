import { createHash, randomBytes } from 'node:crypto';

/** What an authorization code was issued for (RFC 6749, section 4.1; RFC 7636). */
export interface CodeGrant {
  readonly clientId: string;
  /** As in the authorization request. */
  readonly redirectUri: string;
  /** The SHA-256 digest of the verifier, in base64url. */
  readonly challenge: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Authorization codes. */
export interface AuthorizationCodes {
  create(grant: CodeGrant): string;
  /**
   * Returns the grant of a code once. Later calls return `isUsed`. Returns undefined for an unknown or expired
   * code.
   */
  take(code: string): CodeGrant | 'isUsed' | undefined;
  clear(): void;
}

export const codeLifetimeMs = 60_000;

const maxCodes = 10_000;

export function createCodes(now: () => number = Date.now): AuthorizationCodes {
  const codes = new Map<string, { readonly grant: CodeGrant; readonly endsAt: number; isUsed: boolean }>();

  function forgetOld(): void {
    for (const [code, { endsAt }] of codes) {
      if (endsAt > now() && codes.size < maxCodes) return;
      codes.delete(code);
    }
  }

  return {
    create(grant) {
      forgetOld();
      const code = randomBytes(32).toString('base64url');
      codes.set(code, { grant, endsAt: now() + codeLifetimeMs, isUsed: false });
      return code;
    },
    take(code) {
      const found = codes.get(code);
      if (!found || found.endsAt <= now()) return undefined;
      if (found.isUsed) return 'isUsed';
      found.isUsed = true;
      return found.grant;
    },
    clear: () => codes.clear(),
  };
}

export function isChallenge(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function isVerifierOf(verifier: string, challenge: string): boolean {
  const isVerifier = /^[\w.~-]{43,128}$/.test(verifier);
  return isVerifier && createHash('sha256').update(verifier).digest('base64url') === challenge;
}
