import { UpstreamError, type UpstreamName } from '../../errors.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { blankDetail } from '../errors.ts';
import { type TokenCache, TokenError } from './token-cache.ts';

/** The identities and the token with which one upstream is called for one request. */
export interface Access {
  readonly upstream: UpstreamName;
  /** Identity under which the upstream sees the caller: what is read for one principal is never shown to another. */
  readonly principal: string;
  /** Identity under which the upstream counts calls: with Tributary's own token that is one for all callers. */
  readonly quotaKey: string;
  /**
   * The verified caller, whose operations, recent writes and waiting calls outlive a renewed token. Equal to `principal` if
   * this process has not verified the token.
   */
  readonly person: string;
  /** Until when responses are waited for; null without a limit, as for a write or an event. */
  readonly deadline: Deadline | null;
  /** The request's `Accept-Language`; null without one. */
  readonly language: string | null;
  /** The GUID that is sent upstream as the id of the request; null where a call belongs to no request. */
  readonly clientRequestId: string | null;
  /**
   * The only caller who may follow an operation by its handle, where the upstream sees all callers as one; null where the
   * upstream decides. Not `person`, which changes with the first of the secrets: handles outlive it.
   */
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
  readonly quotaKey?: string | undefined;
  /** Default: the principal. */
  readonly person?: string | undefined;
  readonly owner?: string | null;
}

/** The properties of an access that come with the request. Default: null. */
export type RequestAccess = Partial<Pick<Access, 'deadline' | 'language' | 'clientRequestId'>>;

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
  quotaKey: identity.quotaKey ?? identity.principal,
  person: identity.person ?? identity.principal,
  owner: identity.owner ?? null,
  deadline: request.deadline ?? null,
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
