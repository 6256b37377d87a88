import { UpstreamError, type UpstreamName } from '../../errors.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { blankDetail } from '../errors.ts';
import { type TokenCache, TokenError } from './token-cache.ts';

/** Observes the upstream calls that one request waits for, including those it shares with other requests. */
export interface CallListener {
  /** A call starts; retries and pauses are part of it. */
  onCallStart(upstream: UpstreamName): void;
  /** Nothing of the call is sent or received for this request: it waits for the rate limiter, its next attempt, or another request. */
  onCallPause(): void;
  onCallResume(): void;
  onCallEnd(upstream: UpstreamName): void;
}

/** The identities and the token with which one upstream is called for one request. */
export interface Access {
  /** Identity under which the upstream sees the caller: what is read for one principal is never shown to another. */
  readonly principal: string;
  readonly upstream: UpstreamName;
  /** Identifies the caller whatever its token, where this process has verified it; else the same as `principal`. */
  readonly callerKey: string;
  /** Identity under which the upstream counts calls: with Tributary's own token that is one for all callers. */
  readonly rateLimitKey: string;
  /** Until when responses are waited for; null without a limit, as for a write or an event. */
  readonly deadline: Deadline | null;
  /** Observes the calls; null where nothing counts them. */
  readonly listener: CallListener | null;
  /** The request's `Accept-Language`; null without one. */
  readonly language: string | null;
  /** The GUID that is sent upstream as the id of the request; null where a call belongs to no request. */
  readonly clientRequestId: string | null;
  /** The owner of instance operations, where the upstream sees all callers as one; else null. */
  readonly owner: string | null;
  /** The token to send; synchronous where it is known. Throws `UpstreamError`. */
  getToken(): string | Promise<string>;
  /** The upstream rejected this token. Returns whether `getToken` may return another, so that one retry is worthwhile. */
  invalidateToken(token: string): boolean;
}

/** The identities of a caller, known before and after a request. */
export interface CallerIdentity {
  readonly principal: string;
  /** Default: the principal. */
  readonly callerKey?: string;
  /** Default: the principal. */
  readonly rateLimitKey?: string;
  readonly owner?: string;
}

/** The properties of an access that come with the request. Default: null. */
export type RequestAccess = Partial<Pick<Access, 'deadline' | 'listener' | 'language' | 'clientRequestId'>>;

const noRequest: RequestAccess = {};

/** An access with the caller's own token, which is sent in `tokenHeader`. */
export const createForwardedAccess = (
  upstream: UpstreamName,
  token: string | null,
  identity: CallerIdentity,
  request = noRequest,
  tokenHeader = 'authorization',
): Access =>
  createAccess(
    upstream,
    identity,
    request,
    () => {
      if (token === null) throw missingTokenError(upstream, tokenHeader);
      return token;
    },
    () => false,
  );

/** An access with a token that Tributary was granted, its own or one on behalf of the caller. */
export const createGrantedAccess = (
  upstream: UpstreamName,
  cache: TokenCache,
  identity: CallerIdentity,
  request = noRequest,
): Access =>
  createAccess(
    upstream,
    identity,
    request,
    async () => {
      try {
        return await cache.get();
      } catch (error) {
        if (!(error instanceof TokenError)) throw error;
        const { code, message, oauthError, claims } = error;
        const detail = oauthError === null ? null : { ...blankDetail, code: oauthError };
        throw new UpstreamError(code, message, { upstream, delivery: 'notSent', detail, claims });
      }
    },
    cache.invalidate,
  );

// Every request makes one: a single literal, as merged objects outlive several garbage collections.
const createAccess = (
  upstream: UpstreamName,
  identity: CallerIdentity,
  request: RequestAccess,
  getToken: Access['getToken'],
  invalidateToken: Access['invalidateToken'],
): Access => ({
  upstream,
  principal: identity.principal,
  callerKey: identity.callerKey ?? identity.principal,
  rateLimitKey: identity.rateLimitKey ?? identity.principal,
  owner: identity.owner ?? null,
  deadline: request.deadline ?? null,
  listener: request.listener ?? null,
  language: request.language ?? null,
  clientRequestId: request.clientRequestId ?? null,
  getToken,
  invalidateToken,
});

function missingTokenError(upstream: UpstreamName, tokenHeader: string): UpstreamError {
  const [header, property] =
    tokenHeader === 'authorization'
      ? ['Authorization', 'authorization']
      : [tokenHeader, 'managementAuthorization'];
  return new UpstreamError(
    'UNAUTHENTICATED',
    `Send the header \`${header}: Bearer <token>\` (over WebSocket: \`${property}\` in connection_init).`,
    { upstream, delivery: 'notSent' },
  );
}
