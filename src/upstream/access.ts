import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { CallListener } from './call-listener.ts';
import type { Deadline } from './deadline.ts';
import { type HeldToken, TokenError } from './held-token.ts';

/** In whose name an upstream is asked. */
export interface Access {
  /** What keeps callers apart: nothing that was read for one principal is ever shown to another. */
  readonly principal: string;
  readonly upstream: UpstreamName;
  /** Whose calls are counted together: the upstream throttles whom it sees. */
  readonly pace: string;
  /** Who the caller is proven to be, whatever token it has; null where this process has not verified that. */
  readonly verifiedAs: string | null;
  /** Until when answers are waited for; null where nobody waits, as for a write or an event. */
  readonly deadline: Deadline | null;
  /** Told of the calls that are made with it; null where nobody counts them. */
  readonly listener: CallListener | null;
  /** Whose the operations are that are begun now, where the upstream takes all callers for one; null where it does not. */
  readonly owner: string | null;
  /** The token to send; at once where it is there. Throws `UpstreamError`. */
  token(): string | Promise<string>;
  /** Tells that the upstream did not accept a token. True: `token` has another, which is worth one more try. */
  reject(token: string): boolean;
}

/** The caller's own token, as it came. */
export const forwarded = (
  upstream: UpstreamName,
  token: string | null,
  principal: string,
  {
    deadline = null,
    verifiedAs = null,
    listener = null,
  }: Partial<Pick<Access, 'deadline' | 'verifiedAs' | 'listener'>> = {},
): Access => ({
  upstream,
  principal,
  pace: principal,
  verifiedAs,
  deadline,
  listener,
  owner: null,
  token() {
    if (token === null) throw missingToken(upstream);
    return token;
  },
  reject: () => false,
});

type Granted = Pick<Access, 'principal'> &
  Partial<Pick<Access, 'pace' | 'verifiedAs' | 'owner' | 'deadline' | 'listener'>>;

/** A token that the layer was given, for itself or in the caller's name. */
export const granted = (
  upstream: UpstreamName,
  held: HeldToken,
  { principal, pace = principal, verifiedAs = null, owner = null, deadline = null, listener = null }: Granted,
): Access => ({
  upstream,
  principal,
  pace,
  verifiedAs,
  deadline,
  listener,
  owner,
  async token() {
    try {
      return await held.get();
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      throw new UpstreamError(error.code, error.message, { upstream, fate: 'unsent' });
    }
  },
  reject: held.reject,
});

function missingToken(upstream: UpstreamName): UpstreamError {
  return new UpstreamError(
    'UNAUTHENTICATED',
    'Send the header `Authorization: Bearer <token>` (over WebSocket: `authorization` in connection_init).',
    { upstream, fate: 'unsent' },
  );
}
