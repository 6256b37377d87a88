import { type ErrorCode, type ErrorDetail, type Fate, UpstreamError, type UpstreamName } from '../errors.ts';
import type { Answer, Headers } from './answer.ts';
import { isObject, type JsonObject, mapTexts, textOrNull, untyped } from './json.ts';
import { readRetryAfter } from './retry-after.ts';

interface Refusal {
  readonly upstream: UpstreamName;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/**
 * An answer outside 2xx as an error.
 *
 * The document gives 429 and 504 for A and "any other status" for B and C; the rest follows HTTP. What a
 * refusal for rights says names callers and scopes, so of a 401 or 403 only the code is kept.
 */
export function errorOf({ upstream, status, headers, body }: Refusal, discreet: Discreet): UpstreamError {
  const { code, fate, message } = meaningOf(status);
  const detail = readErrorDetail(body, discreet);
  return new UpstreamError(code, message, {
    upstream,
    fate,
    status,
    detail:
      detail !== null && (status === 401 || status === 403) ? { ...blankDetail, code: detail.code } : detail,
    retryAfterSeconds: readRetryAfter(headers, Date.now()),
  });
}

function meaningOf(status: number): { code: ErrorCode; fate: Fate; message: string } {
  switch (status) {
    case 401:
      return refused('UNAUTHENTICATED', 'The upstream did not accept the token. Sign in again and resend.');
    case 403:
      return refused('FORBIDDEN', 'The upstream does not allow this caller to do that.');
    case 414:
    case 431:
      return refused('UPSTREAM_REJECTED', 'The upstream finds the query too long. Name fewer values in it.');
    case 429:
      return refused('UPSTREAM_THROTTLED', 'The upstream is throttling this caller. Wait, then try again.');
    case 501:
      return refused('UPSTREAM_REJECTED', 'The upstream does not offer this.');
    case 408:
    case 504:
      return unknown('UPSTREAM_TIMEOUT', 'The upstream gave up on the request. Ask for less at a time.');
  }
  if (status >= 500) return unknown('UPSTREAM_UNAVAILABLE', 'The upstream failed. Try again later.');
  if (status >= 400) return refused('UPSTREAM_REJECTED', 'The upstream refused the request.');
  return unknown('UPSTREAM_BAD_RESPONSE', 'The upstream answered with a status that means nothing here.');
}

const refused = (code: ErrorCode, message: string) => ({ code, message, fate: 'refused' as const });
const unknown = (code: ErrorCode, message: string) => ({ code, message, fate: 'unknown' as const });

const blankDetail: ErrorDetail = { code: null, message: null, target: null, details: [], additionalInfo: [] };

type Discreet = Answer['discreet'];
const asItIs: Discreet = (text) => text;

/** The error of a body, nested (`{error: {…}}`, areas A and B) or flat (`{code, message, details}`, area C). */
export function readErrorDetail(body: unknown, discreet: Discreet = asItIs): ErrorDetail | null {
  if (!isObject(body)) return null;
  const error = isObject(body.error) ? body.error : body;
  const known = ['code', 'message', 'target', 'details'].some((name) => error[name] != null);
  return known ? toDetail(error, discreet, 0) : null;
}

const maxDepth = 8;
const maxEntries = 20;
// What is said to a caller may be said many times over in one answer, once for every field that failed.
const maxText = 1_024;

// What is looked through is cut before, and so may a token be: a little more shows it for one.
const maxLookedThrough = maxText + 256;

function toDetail(error: JsonObject, discreet: Discreet, depth: number): ErrorDetail {
  const { details, additionalInfo } = error;
  const brief = (value: unknown, name: string): string | null => {
    const text = textOrNull(value)?.slice(0, maxLookedThrough);
    return (text && discreet(text, name).slice(0, maxText)) || null;
  };
  const briefInfo = (value: unknown) => {
    // Cut to a depth first: JSON may be nested deeper than what writes it can follow.
    const info = untyped(value);
    return JSON.stringify(info).length > maxText ? null : mapTexts(info, discreet);
  };
  return {
    code: brief(error.code, 'code'),
    message: brief(error.message, 'message'),
    target: brief(error.target, 'target'),
    // Area C's `details` is a string: it becomes one detail that has only a message.
    details:
      typeof details === 'string' && details !== ''
        ? [{ ...blankDetail, message: brief(details, 'message') }]
        : depth < maxDepth && Array.isArray(details)
          ? details
              .filter(isObject)
              .slice(0, maxEntries)
              .map((detail) => toDetail(detail, discreet, depth + 1))
          : [],
    additionalInfo: Array.isArray(additionalInfo)
      ? additionalInfo
          .filter(isObject)
          .slice(0, maxEntries)
          .map((entry) => ({ type: brief(entry.type, 'type'), info: briefInfo(entry.info) }))
      : [],
  };
}

/** The error of an answer that was given but makes no sense. */
export function badResponse(upstream: UpstreamName, message: string): UpstreamError {
  return new UpstreamError('UPSTREAM_BAD_RESPONSE', message, { upstream, fate: 'unknown' });
}

const passing = new Set<ErrorCode>([
  'UPSTREAM_THROTTLED',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
]);

/** Whether the next look may fare better. Answers about rights, or about the request itself, stand. */
export const isPassing = ({ code }: UpstreamError): boolean => passing.has(code);
