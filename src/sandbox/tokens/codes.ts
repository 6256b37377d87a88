import { createHash, randomBytes } from 'node:crypto';

/** What a code is exchanged for, and by whom (RFC 6749, section 4.1; RFC 7636). */
export interface CodeGrant {
  readonly clientId: string;
  /** As it was written when the code was asked for. */
  readonly redirectUri: string;
  /** The SHA-256 digest of the verifier, in base64url. */
  readonly challenge: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Codes that were given to clients, to be exchanged for a token. */
export interface Codes {
  create(grant: CodeGrant): string;
  /** What a code is for, once; `isUsed` for one that came before, undefined for any other. */
  take(code: string): CodeGrant | 'isUsed' | undefined;
  clear(): void;
}

export const codeLifetimeMs = 60_000;

const maxCodes = 10_000;

/** `now` tells the time in milliseconds. */
export function createCodes(now: () => number = Date.now): Codes {
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

/** True for a digest as a challenge is one. */
export function isChallenge(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** True for the verifier whose digest the challenge is. */
export function isVerifierOf(verifier: string, challenge: string): boolean {
  const isVerifier = /^[\w.~-]{43,128}$/.test(verifier);
  return isVerifier && createHash('sha256').update(verifier).digest('base64url') === challenge;
}
