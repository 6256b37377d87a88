import { type ErrorDetail, isLockConflict, UpstreamError } from '../errors.ts';

export type UserErrorCode =
  | 'STALE_RECORD'
  | 'NOT_FOUND'
  | 'INVALID_INPUT'
  | 'ALREADY_EXISTS'
  | 'NOT_ALLOWED'
  | 'CONFLICT'
  | 'REFUSED'
  | 'OUTCOME_UNKNOWN'
  | 'NOT_STARTED';

/** Why a mutation did not take effect, or why its outcome is unknown, as an entry of the payload's `userErrors`. */
export interface UserError {
  readonly code: UserErrorCode;
  readonly message: string;
  readonly path: readonly string[] | null;
  readonly upstream: ErrorDetail | null;
}

/** Invalid input, found before anything was sent. `path` is relative to `input`. */
export function invalidInput(message: string, ...path: readonly string[]): UserError {
  return { code: 'INVALID_INPUT', message, path: ['input', ...path], upstream: null };
}

/**
 * Maps the failure of a write to a user error if the caller can act on it; null otherwise (it stays a GraphQL error).
 *
 * `checkAdvice` tells the caller how to check the outcome if it is unknown.
 */
export function mapUpstreamError(error: unknown, checkAdvice: string): UserError | null {
  if (!(error instanceof UpstreamError)) return null;
  if (error.delivery === 'unknown') return outcomeUnknown(error, checkAdvice);
  const code = error.delivery === 'rejected' ? getRejectionCode(error) : null;
  if (code === null) return null;
  const message = isLockConflict(error) ? recordInUseMessage : withReason(messages[code], error.detail);
  return { code, message, path: null, upstream: error.detail };
}

/** Appends the first line of what the upstream says, without the id that it gives to the request. */
function withReason(message: string, detail: ErrorDetail | null): string {
  const [line = ''] = (detail?.message ?? '').split(/[\r\n]/, 1);
  const reason = line.split('CorrelationId:', 1)[0]?.trim();
  return reason ? `${message.slice(0, -1)}: ${reason}` : message;
}

/**
 * The one of `names` that an upstream's error names: as its target, or as the first word of its message or in quotes there.
 * Null if it names none or several.
 */
export function findNamed({ target, message }: ErrorDetail, names: readonly string[]): string | null {
  if (target !== null && names.includes(target)) return target;
  const words = new Set(message?.match(/^\w+|(?<=['"])\w+(?=['"])/g));
  const [named = null, ...others] = names.filter((name) => words.has(name));
  return others.length === 0 ? named : null;
}

/** The write may have taken effect or not. `checkAdvice` tells the caller how to check. */
export function outcomeUnknown({ detail }: UpstreamError, checkAdvice: string): UserError {
  const message = `The request was sent, but its outcome is unknown. ${checkAdvice}`;
  return { code: 'OUTCOME_UNKNOWN', message, path: null, upstream: detail };
}

/** The record to change does not exist. */
export const targetNotFound = (failure: UpstreamError | null = null): UserError => ({
  code: 'NOT_FOUND',
  message: messages.NOT_FOUND,
  path: null,
  upstream: failure?.detail ?? null,
});

/** Something that the write refers to does not exist. */
export const referenceNotFound = ({ detail }: UpstreamError): UserError => ({
  code: 'INVALID_INPUT',
  message: withReason('The upstream did not find something that this change refers to.', detail),
  path: null,
  upstream: detail,
});

/** The id or number of a create belongs to an existing record. */
export const alreadyExists = ({ detail }: UpstreamError): UserError => ({
  code: 'ALREADY_EXISTS',
  message:
    'A record with this id or number already exists. If the payload contains it, check whether it is the one you meant.',
  path: null,
  upstream: detail,
});

/** Whether a create was rejected because its key exists: by the error code, since the status varies (docs/upstream.md). */
export const isKeyTaken = ({ delivery, detail }: UpstreamError): boolean =>
  delivery === 'rejected' && detail?.code === 'Internal_EntityWithSameKeyExists';

// Codes of area A (docs/upstream.md). The first is that of AL's `TestField`: a stored value is not as required.
const stateCode = 'Application_FieldValidationException';
// A value is at fault: codes of area A, and the last two of area B. Other codes do not tell, and messages are in the caller's
// language. Neither does a status but those of content that is too large or not valid.
const valueCodes =
  /^(?:BadRequest(?:_.*)?|Internal_(?:CompanyNotFound|DataNotFoundFilter|InvalidTableRelation|RecordNotFound)|Application_(?:EvaluateException|FilterErrorException|InvalidGUID|StringExceededLength)|InvalidParameter|InvalidRequestContent)$/;
const valueStatuses: ReadonlySet<number | null> = new Set([413, 422]);

function getRejectionCode(error: UpstreamError): keyof typeof messages | null {
  const { status, code, detail } = error;
  if (isKeyTaken(error)) return 'ALREADY_EXISTS';
  if (code === 'FORBIDDEN') return 'NOT_ALLOWED';
  if (isLockConflict(error)) return 'CONFLICT';
  switch (status) {
    case 404:
      return code === 'UPSTREAM_NOT_FOUND' ? null : 'NOT_FOUND';
    case 409:
      return 'CONFLICT';
  }
  if (code !== 'UPSTREAM_REJECTED') return null;
  if (detail?.code === stateCode) return 'CONFLICT';
  return valueStatuses.has(status) || valueCodes.test(detail?.code ?? '') ? 'INVALID_INPUT' : 'REFUSED';
}

const recordInUseMessage =
  'Another transaction or operation was changing the same records. Nothing was changed; retry.';
const messages = {
  ALREADY_EXISTS: 'A record with this key already exists.',
  NOT_ALLOWED: 'The caller is not permitted to make this change.',
  NOT_FOUND: 'There is no such record, instance or company.',
  CONFLICT: 'The current state does not permit this change.',
  REFUSED: 'The upstream refused this change.',
  INVALID_INPUT: 'The upstream rejected this change.',
};
