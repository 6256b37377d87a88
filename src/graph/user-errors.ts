import { type ErrorDetail, UpstreamError } from '../errors.ts';

export type UserErrorCode =
  | 'STALE_RECORD'
  | 'NOT_FOUND'
  | 'INVALID_INPUT'
  | 'ALREADY_EXISTS'
  | 'NOT_ALLOWED'
  | 'CONFLICT'
  | 'OUTCOME_UNKNOWN';

/** Why a change was not made, as the payload shows it. */
export interface UserError {
  readonly code: UserErrorCode;
  readonly message: string;
  readonly path: readonly string[] | null;
  readonly upstream: ErrorDetail | null;
}

/** An input at fault, found before anything was sent. `path` leads to it from `input`. */
export function invalidInput(message: string, ...path: readonly string[]): UserError {
  return { code: 'INVALID_INPUT', message, path: ['input', ...path], upstream: null };
}

/**
 * The failure of a write as data, when it is one a caller can act on; null leaves it a GraphQL error.
 *
 * `lookHere` says how to find out what became of the write when its outcome is unknown.
 */
export function userErrorOf(error: unknown, lookHere: string): UserError | null {
  if (!(error instanceof UpstreamError)) return null;
  if (error.fate === 'unknown') return outcomeUnknown(error, lookHere);
  const code = error.fate === 'refused' ? refusalCode(error) : null;
  return code && { code, message: messages[code], path: null, upstream: error.detail };
}

/** The user error of a write that may have been carried out or not; `lookHere` as above. */
export function outcomeUnknown({ detail }: UpstreamError, lookHere: string): UserError {
  const message = `The request left, but it cannot be known what became of it. ${lookHere}`;
  return { code: 'OUTCOME_UNKNOWN', message, path: null, upstream: detail };
}

/** The user error of a change to what is not there, or no longer. */
export const notFound = (): UserError => ({
  code: 'NOT_FOUND',
  message: messages.NOT_FOUND,
  path: null,
  upstream: null,
});

/** The user error of a create whose key belongs to a record that is there. */
export const alreadyExists = ({ detail }: UpstreamError): UserError => ({
  code: 'ALREADY_EXISTS',
  message:
    'There is already a record with this id. Where it is given here, see whether it is the one you meant.',
  path: null,
  upstream: detail,
});

/** Whether a create was refused because its key is taken: the code tells, the status differs (docs/upstream.md). */
export const isKeyTaken = ({ fate, detail }: UpstreamError): boolean =>
  fate === 'refused' && detail?.code === 'Internal_EntityWithSameKeyExists';

function refusalCode(error: UpstreamError): keyof typeof messages | null {
  const { status, code } = error;
  if (isKeyTaken(error)) return 'ALREADY_EXISTS';
  switch (status) {
    case 403:
      return 'NOT_ALLOWED';
    case 404:
      return 'NOT_FOUND';
    case 409:
      return 'CONFLICT';
  }
  return code === 'UPSTREAM_REJECTED' ? 'INVALID_INPUT' : null;
}

const messages = {
  ALREADY_EXISTS: 'There is already a record with this key.',
  NOT_ALLOWED: 'The upstream does not allow this caller to make the change.',
  NOT_FOUND: 'There is nothing under this name to change.',
  CONFLICT: 'The present state does not permit the change; see `upstream`.',
  INVALID_INPUT: 'The upstream refused the change; see `upstream`.',
};
