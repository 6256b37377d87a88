import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Who gets tokens, and for how long. */
export interface TokenOptions {
  /** Secrets by the id of their client; one client, `tributary` with `sandbox-secret`, when left out. */
  readonly clients?: Readonly<Record<string, string>>;
  /** How long a token lasts; an hour when left out. */
  readonly lifetimeMs?: number;
}

/** The tokens that were given out. What is not among them is as good as any text; see `readCaller`. */
export interface Tokens {
  isKnown(clientId: string, secret: string): boolean;
  /** A new token, which begins with its client: that is who calls, whichever of its tokens is used. */
  issue(clientId: string): { readonly token: string; readonly expiresIn: number };
  /** How long tokens last from now on, until the next `clear`. */
  setLifetime(lifetimeMs: number): void;
  /** Ends every token at once. */
  revoke(): void;
  /** The headers of a request as the areas are to see them: a token that has ended reads as expired. */
  judged(headers: IncomingHttpHeaders): IncomingHttpHeaders;
  clear(): void;
}

/** The one that is known when none is named. */
export const usualClient = { id: 'tributary', secret: 'sandbox-secret' };

export function createTokens(options: TokenOptions = {}): Tokens {
  const { clients = { [usualClient.id]: usualClient.secret }, lifetimeMs: usualMs = 3_600_000 } = options;
  const ends = new Map<string, number>();
  let lifetimeMs = usualMs;

  return {
    isKnown: (clientId, secret) => Object.hasOwn(clients, clientId) && clients[clientId] === secret,
    issue(clientId) {
      const token = `${clientId}~${randomBytes(24).toString('base64url')}`;
      ends.set(token, Date.now() + lifetimeMs);
      return { token, expiresIn: Math.floor(lifetimeMs / 1_000) };
    },
    setLifetime(changed) {
      lifetimeMs = changed;
    },
    revoke() {
      for (const token of ends.keys()) ends.set(token, 0);
    },
    judged(headers) {
      const token = headers.authorization?.replace(/^Bearer +/i, '').trim() ?? '';
      const end = ends.get(token) ?? Number.POSITIVE_INFINITY;
      return end > Date.now() ? headers : { ...headers, authorization: 'Bearer expired' };
    },
    clear() {
      ends.clear();
      lifetimeMs = usualMs;
    },
  };
}
