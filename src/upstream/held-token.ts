import type { ErrorCode } from '../errors.ts';

/** A token as it was granted. */
export interface Grant {
  readonly token: string;
  /** How long it lasts; null where it was not said. */
  readonly lifeMs: number | null;
}

/** No token was granted: it was refused, or who grants it cannot be reached. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** A token that is kept, and replaced in time. */
export interface HeldToken {
  /** One that is good for now: fetched once however many wait. Throws what fetching it threw. */
  get(): Promise<string>;
  /** Tells that one was not accepted. True: `get` has another, or will fetch one. */
  reject(token: string): boolean;
}

// A token is not used in its last minute, or in the last tenth of a short life.
const marginMs = 60_000;
const usualLifeMs = 300_000;
// An upstream that accepts no token at all must not have one fetched for every request.
const rejectionPauseMs = 10_000;
// Nor is a place that gives none asked by everybody who waits.
const failurePauseMs = 1_000;

export function holdToken(fetchGrant: () => Promise<Grant>): HeldToken {
  let held: { readonly token: string; readonly until: number } | null = null;
  let fetching: Promise<string> | null = null;
  let failed: { readonly error: unknown; readonly until: number } | null = null;
  let rejectedAt = Number.NEGATIVE_INFINITY;

  const renew = async (): Promise<string> => {
    try {
      const { token, lifeMs } = await fetchGrant();
      const life = lifeMs ?? usualLifeMs;
      held = { token, until: Date.now() + life - Math.min(marginMs, life / 10) };
      return token;
    } catch (error) {
      failed = { error, until: Date.now() + failurePauseMs };
      throw error;
    }
  };

  return {
    async get() {
      const now = Date.now();
      if (held && now < held.until) return held.token;
      if (!fetching && failed && now < failed.until) throw failed.error;
      fetching ??= renew().finally(() => {
        fetching = null;
      });
      return fetching;
    },
    reject(token) {
      if (held?.token !== token) return true;
      const now = Date.now();
      if (now - rejectedAt < rejectionPauseMs) return false;
      rejectedAt = now;
      held = null;
      return true;
    },
  };
}
