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

/** An entry of `userErrors`: why a mutation did not take effect, or why its outcome is unknown. */
export interface UserError {
  readonly code: UserErrorCode;
  readonly message: string;
  readonly path: readonly string[] | null;
  readonly upstream: ErrorDetail | null;
}

/** The input is invalid, and nothing was sent. `path` is relative to `input`. */
export const invalidInput = (message: string, ...path: readonly string[]): UserError => ({
  ...createUserError('INVALID_INPUT', message),
  path: ['input', ...path],
});

/** `failure` is that of the upstream, whose detail the error quotes. */
export const createUserError = (
  code: UserErrorCode,
  message: string,
  failure: Pick<UpstreamError, 'detail'> | null = null,
): UserError => ({ code, message, path: null, upstream: failure?.detail ?? null });

/**
 * Maps the failure of a write to a user error. Returns null if the caller cannot act on it; it then stays a GraphQL error.
 * `checkAdvice` tells the caller how to check an unknown outcome.
 */
export function mapUpstreamError(error: unknown, checkAdvice: string): UserError | null {
  if (!(error instanceof UpstreamError)) return null;
  if (error.delivery === 'unknown') return outcomeUnknown(error, checkAdvice);
  const code = error.delivery === 'rejected' ? getRejectionCode(error) : null;
  if (code === null) return null;
  const message = isLockConflict(error) ? recordInUseMessage : withReason(messages[code], error.detail);
  return createUserError(code, message, error);
}

/** Appends the first line of the upstream's message, without its correlation id. */
function withReason(message: string, detail: ErrorDetail | null): string {
  const [line = ''] = (detail?.message ?? '').split(/[\r\n]/, 1);
  const reason = line.split('CorrelationId:', 1)[0]?.trim();
  return reason ? `${message.slice(0, -1)}: ${reason}` : message;
}

/**
 * Finds the name that an upstream's error is about: its target, or the first word or a quoted word of its message. Null if the
 * error has none of `names`, or several.
 */
export function findNamed({ target, message }: ErrorDetail, names: readonly string[]): string | null {
  if (target !== null && names.includes(target)) return target;
  const words = new Set(message?.match(/^\w+|(?<=['"])\w+(?=['"])/g));
  const [named = null, ...others] = names.filter((name) => words.has(name));
  return others.length === 0 ? named : null;
}

/** The write may or may not have taken effect. `checkAdvice` tells the caller how to check. */
export const outcomeUnknown = (failure: UpstreamError, checkAdvice: string): UserError =>
  createUserError(
    'OUTCOME_UNKNOWN',
    `The request was sent, but its outcome is unknown. ${checkAdvice}`,
    failure,
  );

/** The record to update or delete does not exist. */
export const targetNotFound = (failure: UpstreamError | null = null): UserError =>
  createUserError('NOT_FOUND', messages.NOT_FOUND, failure);

/** A record that the input refers to does not exist. */
export const referenceNotFound = (failure: UpstreamError): UserError => {
  const message = withReason(
    'The upstream did not find something that this change refers to.',
    failure.detail,
  );
  return createUserError('INVALID_INPUT', message, failure);
};

/** The id or number of a create belongs to an existing record. */
export const alreadyExists = (failure: UpstreamError): UserError =>
  createUserError(
    'ALREADY_EXISTS',
    'A record with this id or number already exists. If the payload contains it, check whether it is the one you meant.',
    failure,
  );

/** Whether a create was rejected because its key exists. The status varies, so the error code decides (docs/upstream.md). */
export const isKeyTaken = ({ delivery, detail }: UpstreamError): boolean =>
  delivery === 'rejected' && detail?.code === 'Internal_EntityWithSameKeyExists';

// AL's `TestField` failed: a stored value does not permit the change (docs/upstream.md).
const stateCode = 'Application_FieldValidationException';
// Codes of area A, and at the end two of area B, that mean an invalid value. Other codes are ambiguous, messages are translated,
// and no status is specific but those of too large and of invalid content.
const valueCodes =
  /^(?:BadRequest(?:_.*)?|Internal_(?:CompanyNotFound|DataNotFoundFilter|InvalidTableRelation|RecordNotFound)|Application_(?:EvaluateException|FilterErrorException|InvalidGUID|StringExceededLength)|InvalidParameter|InvalidRequestContent)$/;
const valueStatuses: ReadonlySet<number | null> = new Set([413, 422]);

function getRejectionCode(error: UpstreamError): keyof typeof messages | null {
  const { status, code, detail } = error;
  if (isKeyTaken(error)) return 'ALREADY_EXISTS';
  if (code === 'FORBIDDEN') return 'NOT_ALLOWED';
  if (isLockConflict(error)) return 'CONFLICT';
  if (status === 404) return code === 'UPSTREAM_NOT_FOUND' ? null : 'NOT_FOUND';
  if (status === 409) return 'CONFLICT';
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
