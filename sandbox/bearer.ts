import { ApiError } from './api-error.ts';
import type { ApiRequest } from './http.ts';

/** The caller. The text of the token is the identity: two tokens are two callers. */
export interface Caller {
  readonly token: string;
  /** May read, but not write, start or stop. */
  readonly isReader: boolean;
  /** May not read sensitive health events. */
  readonly cannotReadSensitive: boolean;
}

/** The error codes of an area for the ways in which a token can be rejected. */
export interface TokenErrorCodes {
  readonly missing: string;
  readonly expired: string;
  readonly denied: string;
}

/**
 * Reads the caller from the bearer token, which every request requires (Authentication). The prefix of the
 * token decides its permissions: expired, denied, reader, limited (gap: see docs/upstream.md).
 */
export function readCaller(request: ApiRequest, codes: TokenErrorCodes): Caller {
  const token = /^Bearer +(\S.*)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim();
  const challenge = { headers: { 'www-authenticate': 'Bearer' } };

  if (token === undefined) {
    throw new ApiError(401, codes.missing, 'The server has rejected the client credentials.', challenge);
  }
  if (token.startsWith('expired')) {
    throw new ApiError(
      401,
      codes.expired,
      'The access token expiry UTC time is earlier than now.',
      challenge,
    );
  }
  if (token.startsWith('denied')) throw forbiddenError(codes);

  const isReader = token.startsWith('reader');
  return { token, isReader, cannotReadSensitive: isReader || token.startsWith('limited') };
}

/** The error for an authenticated caller without permission. */
export function forbiddenError(codes: TokenErrorCodes): ApiError {
  return new ApiError(403, codes.denied, 'The client does not have authorization to perform this action.');
}

/** Who a token speaks for. Tokens of one principal differ in what follows a tilde: `clerk~2` is `clerk` with a renewed token. */
export function principalOf(token: string): string {
  return token.split('~', 1)[0] ?? token;
}
