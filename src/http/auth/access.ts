import { UpstreamError, type UpstreamName } from '../../errors.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { blankDetail } from '../errors.ts';
import { type TokenCache, TokenError } from './token-cache.ts';

/** Access to one upstream for one request: identities, token and request properties. */
export interface Access {
  readonly upstream: UpstreamName;
  /** The caller as the upstream sees it. Data that is read for one principal is never shown to another. */
  readonly principal: string;
  /** The identity whose calls the upstream counts. With Tributary's own token all callers share one. */
  readonly quotaKey: string;
  /**
   * The verified caller, whose operations, recent writes and waiting calls outlive a renewed token. Equal to `principal` if
   * this process has not verified the token.
   */
  readonly person: string;
  /** When to stop waiting for responses; null without a limit, as for a write or an event. */
  readonly deadline: Deadline | null;
  /** The request's `Accept-Language`; null without one. */
  readonly language: string | null;
  /** The GUID that is sent upstream as the id of the request; null for a call outside a request. */
  readonly clientRequestId: string | null;
  /**
   * The only caller who may follow an operation by its handle, if the upstream sees all callers as one; null if the
   * upstream decides. Not `person`, which changes when the first secret is rotated, while handles stay valid.
   */
  readonly owner: string | null;
  /** Returns the token to send; synchronous if it is cached. Throws `UpstreamError`. */
  getToken(): string | Promise<string>;
  /** Call if the upstream rejected this token. Returns whether a retry with another token is worthwhile. */
  invalidateToken(token: string): boolean;
}

/** The identities of a caller, which do not depend on a request. */
export interface CallerIdentity {
  readonly principal: string;
  /** Default: the principal. */
  readonly quotaKey?: string | undefined;
  /** Default: the principal. */
  readonly person?: string | undefined;
  readonly owner?: string | null;
}

/** The properties of an access that a request sets. Default: null. */
export type RequestAccess = Partial<Pick<Access, 'deadline' | 'language' | 'clientRequestId'>>;

const noRequest: RequestAccess = {};

/** Creates an access with the caller's own token, which the caller sends in `tokenHeader`. */
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

/** Creates an access with a granted token: Tributary's own, or one on behalf of the caller. */
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

// One literal, since an object merged by spreading survives several garbage collections, and every request creates one.
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
