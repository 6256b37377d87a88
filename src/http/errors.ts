import {
  type Delivery,
  type ErrorCode,
  type ErrorDetail,
  UpstreamError,
  type UpstreamName,
} from '../errors.ts';
import { isJsonObject, type JsonObject, mapStrings, stringOrNull, toPlainJson } from '../runtime/json.ts';
import { cutText } from '../runtime/text.ts';
import { provesAbsence } from './absence.ts';
import { claimsRequired, readClaims } from './auth/bearer.ts';
import { type Redact, readRetryAfter, readUpstreamRequestId, type UpstreamResponse } from './response.ts';

interface FailedResponse extends Pick<UpstreamResponse, 'status' | 'headers' | 'body'> {
  readonly upstream: UpstreamName;
}

/** Overrides the meaning of some error responses. With any meaning but 503, the request was not carried out. */
export interface ErrorRule {
  /** Null for any. */
  readonly statuses: readonly number[] | null;
  readonly code: RegExp;
  /** Null for any. */
  readonly message: RegExp | null;
  /** The name of a meaning, or a status whose meaning applies. */
  readonly means: keyof typeof meanings | 429 | 503;
}

/**
 * Turns a response outside 2xx into an error.
 *
 * The source document defines 429 and 504 for area A and "any other status" for B and C; the rest follows HTTP. For 401 and
 * 403 only the code and the request id are kept, since messages about permissions name callers and scopes.
 */
export function toUpstreamError(
  { upstream, status, headers, body }: FailedResponse,
  redact: Redact,
  rules: readonly ErrorRule[] = [],
): UpstreamError {
  const upstreamRequestId = readUpstreamRequestId({ headers, body, redact });
  const claims = status === 401 ? readClaims(headers, redact) : null;
  const detail = readErrorDetail(body, redact);
  const isAbsent = status === 404 && provesAbsence(upstream, detail?.code);
  const means = isAbsent ? 'UPSTREAM_REJECTED' : matchErrorRule(rules, status, body);
  const meantStatus = means === 'LOCKED' ? 409 : typeof means === 'number' ? means : status;
  const { code, delivery, message } =
    typeof means === 'string'
      ? meanings[means]
      : ([400, 404, 500].includes(meantStatus) && managementMeanings[upstream]?.[detail?.code ?? '']) ||
        classifyStatus(meantStatus);
  return new UpstreamError(code, claims === null ? message : claimsRequired, {
    upstream,
    delivery,
    status: meantStatus,
    detail:
      detail !== null && (status === 401 || code === 'FORBIDDEN')
        ? { ...blankDetail, code: detail.code }
        : detail,
    retryAfterSeconds: readRetryAfter(headers, Date.now()),
    upstreamRequestId,
    claims,
  });
}

function classifyStatus(status: number): { code: ErrorCode; delivery: Delivery; message: string } {
  switch (status) {
    case 401:
      return rejected('UNAUTHENTICATED', 'The upstream did not accept the token. Sign in again and resend.');
    case 403:
      return meanings.FORBIDDEN;
    case 404:
      return rejected(
        'UPSTREAM_NOT_FOUND',
        'The upstream has no resource at this address. If this lasts, the environment, version or namespace in the settings is wrong or no longer exists.',
      );
    case 414:
    case 431:
      return rejected('UPSTREAM_REJECTED', 'The query is too long for the upstream. Filter by fewer values.');
    case 429:
      return rejected('UPSTREAM_THROTTLED', 'The upstream is throttling this caller. Wait, then try again.');
    case 501:
      return rejected('UPSTREAM_REJECTED', 'The upstream does not support this request.');
    case 408:
    case 504:
      return uncertain('UPSTREAM_TIMEOUT', 'The upstream timed out. Request less at a time.');
  }
  if (status >= 500) return uncertain('UPSTREAM_UNAVAILABLE', 'The upstream failed. Try again later.');
  if (status >= 400) return meanings.UPSTREAM_REJECTED;
  return uncertain('UPSTREAM_BAD_RESPONSE', 'The upstream responded with an unexpected status.');
}

function matchErrorRule(
  rules: readonly ErrorRule[],
  status: number,
  body: unknown,
): ErrorRule['means'] | null {
  if (!isJsonObject(body)) return null;
  const error = isJsonObject(body.error) ? body.error : body;
  const code = stringOrNull(error.code) ?? '';
  const text = (stringOrNull(error.message) ?? '').slice(0, maxTextLength);
  const fitting = [...rules, lockedByOperation].find(
    ({ statuses, code: codes, message }) =>
      (statuses === null || statuses.includes(status)) &&
      codes.test(code) &&
      (message === null || message.test(text)),
  );
  return fitting?.means ?? null;
}

const rejected = (code: ErrorCode, message: string) => ({ code, message, delivery: 'rejected' as const });
const uncertain = (code: ErrorCode, message: string) => ({ code, message, delivery: 'unknown' as const });

const meanings = {
  FORBIDDEN: rejected('FORBIDDEN', 'The upstream does not allow this caller to do that.'),
  UPSTREAM_REJECTED: rejected('UPSTREAM_REJECTED', 'The upstream refused the request.'),
  // Rejected or rolled back because of another transaction or operation. See `isLockConflict`.
  LOCKED: rejected(
    'UPSTREAM_UNAVAILABLE',
    'Another transaction or operation is changing the same records. Try again.',
  ),
};

/** The meanings of some codes of areas B and C with 400, 404 or 500. None proves that a resource does not exist. */
const managementMeanings: Partial<Record<UpstreamName, Record<string, ReturnType<typeof rejected>>>> = {
  instances: toManagementMeanings('`INSTANCES_TYPE`'),
  health: toManagementMeanings('`HEALTH_PROVIDER` and `SUBSCRIPTIONS_API_VERSION`'),
};

function toManagementMeanings(settings: string) {
  const message = `The upstream does not have this type of resource in this version. Ask the operators to check ${settings}.`;
  const wrongVersion = rejected('UPSTREAM_NOT_FOUND', message);
  return {
    InvalidResourceType: wrongVersion,
    InvalidApiVersionParameter: wrongVersion,
    NoRegisteredProviderFound: wrongVersion,
    SubscriptionNotFound: rejected(
      'UPSTREAM_NOT_FOUND',
      'The upstream has no such subscription, or this caller has no rights in it. Check its id and your rights.',
    ),
  };
}

// Areas B and C: the resource is in use; the caller is not throttled (learn.microsoft.com, "Throttling Resource Manager
// requests").
const lockedByOperation: ErrorRule = {
  statuses: [409, 429],
  code: /^RetryableErrorDueToAnotherOperation$/,
  message: null,
  means: 'LOCKED',
};

export const blankDetail: ErrorDetail = {
  code: null,
  message: null,
  target: null,
  details: [],
  additionalInfo: [],
};

/** Reads the error in a body, nested (`{error: {…}}`, areas A and B) or flat (`{code, message, details}`, area C). */
export function readErrorDetail(body: unknown, redact: Redact = (text) => text): ErrorDetail | null {
  if (!isJsonObject(body)) return null;
  const error = isJsonObject(body.error) ? body.error : body;
  const known = ['code', 'message', 'target', 'details'].some((name) => error[name] != null);
  return known ? toDetail(error, redact, 0) : null;
}

const maxDetailDepth = 8;
const maxDetails = 20;
// A response may repeat its error in many fields.
const maxTextLength = 1_024;

function toDetail(error: JsonObject, redact: Redact, depth: number): ErrorDetail {
  const { details, additionalInfo } = error;
  // Cut after redaction, so that no truncated token remains at the end.
  const brief = (value: unknown, name: string): string | null =>
    cutText(redact(stringOrNull(value) ?? '', name), maxTextLength) || null;
  const briefInfo = (value: unknown) => {
    // Limits the depth first: `JSON.stringify` overflows the stack on JSON that `JSON.parse` accepts.
    const info = toPlainJson(value);
    return JSON.stringify(info).length > maxTextLength ? null : mapStrings(info, redact);
  };
  return {
    code: brief(error.code, 'code'),
    message: brief(error.message, 'message'),
    target: brief(error.target, 'target'),
    // In area C `details` is a string. It becomes one detail that has only a message.
    details:
      typeof details === 'string' && details !== ''
        ? [{ ...blankDetail, message: brief(details, 'message') }]
        : depth < maxDetailDepth && Array.isArray(details)
          ? details
              .filter(isJsonObject)
              .slice(0, maxDetails)
              .map((detail) => toDetail(detail, redact, depth + 1))
          : [],
    additionalInfo: Array.isArray(additionalInfo)
      ? additionalInfo
          .filter(isJsonObject)
          .slice(0, maxDetails)
          .map((entry) => ({ type: brief(entry.type, 'type'), info: briefInfo(entry.info) }))
      : [],
  };
}

/** Creates the error of an invalid response. Pass the response, if there is a single one, for its request id. */
export function badResponseError(
  upstream: UpstreamName,
  message: string,
  response?: UpstreamResponse,
): UpstreamError {
  return new UpstreamError('UPSTREAM_BAD_RESPONSE', message, {
    upstream,
    delivery: 'unknown',
    upstreamRequestId: response ? readUpstreamRequestId(response) : null,
  });
}

const transientCodes = new Set<ErrorCode>([
  'UPSTREAM_THROTTLED',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
  'UPSTREAM_NOT_FOUND',
]);

/** Whether the next poll may succeed. Errors about permissions or the request itself are permanent. */
export const isTransient = ({ code }: UpstreamError): boolean => transientCodes.has(code);
