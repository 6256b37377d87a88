import type { Call } from './http.ts';
import { Refusal } from './refusal.ts';

/** Who calls. The token text is the whole identity: two tokens are two callers. */
export interface Caller {
  readonly token: string;
  /** May read, but not write or stop. */
  readonly isReader: boolean;
  /** May not read sensitive health events. */
  readonly isLimited: boolean;
}

/** The words one area uses for the three ways a token can be refused. */
export interface BearerCodes {
  readonly missing: string;
  readonly expired: string;
  readonly denied: string;
}

/**
 * Reads the caller from the bearer token (Authentication: required on every call). What a token
 * may do is told by how its text begins: expired, denied, reader, limited
 * (gap: see docs/upstream.md).
 */
export function readCaller(call: Call, codes: BearerCodes): Caller {
  const token = /^Bearer +(\S.*)$/i.exec(call.headers.authorization ?? '')?.[1]?.trim();
  const challenge = { headers: { 'www-authenticate': 'Bearer' } };

  if (token === undefined) {
    throw new Refusal(401, codes.missing, 'The server has rejected the client credentials.', challenge);
  }
  if (token.startsWith('expired')) {
    throw new Refusal(401, codes.expired, 'The access token expiry UTC time is earlier than now.', challenge);
  }
  if (token.startsWith('denied')) throw forbidden(codes);

  const isReader = token.startsWith('reader');
  return { token, isReader, isLimited: isReader || token.startsWith('limited') };
}

/** The refusal of a caller who is known but may not do this. */
export function forbidden(codes: BearerCodes): Refusal {
  return new Refusal(403, codes.denied, 'The client does not have authorization to perform this action.');
}
