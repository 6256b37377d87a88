import { ApiError } from '../../api-error.ts';
import { type Caller, forbiddenError, type TokenErrorCodes } from '../../bearer.ts';
import { type ApiRequest, hasJsonContentType } from '../../http.ts';
import { type Dialect, invalidEtagError } from '../dialect.ts';
import type { StoredRecord } from '../entity-set.ts';

/** The error codes of area A for rejected tokens. */
export const businessTokenErrors: TokenErrorCodes = {
  missing: 'Authentication_InvalidCredentials',
  expired: 'Authentication_InvalidCredentials',
  denied: 'Authorization_RequestDenied',
};

/** An entity tag, weak or strong. The excluded characters do not occur in base64. */
const etagPattern = /^(?:W\/)?"[\x21\x23-\x2b\x2d-\x7e]*"$/;

/** Throws an `ApiError` (403) when the caller may only read. */
export function checkCanWrite(caller: Caller): void {
  if (caller.isReader) throw forbiddenError(businessTokenErrors);
}

/** Requests with a body require a content type (Endpoints, Headers). */
export function checkJsonContentType(request: ApiRequest): void {
  if (hasJsonContentType(request)) return;
  throw new ApiError(415, 'BadRequest', 'The content type of the request body must be application/json.');
}

/**
 * Throws an `ApiError` unless the If-Match of a PATCH matches the current entity tag (A, update rule 3). The
 * document requires the header for customers and items. The sandbox also requires it for orders and employees
 * (gap: see docs/upstream.md).
 */
export function checkRequiredIfMatch(
  request: ApiRequest,
  record: Pick<StoredRecord, 'etag'>,
  dialect: Dialect,
): void {
  if (ifMatchHeader(request) === '') throw dialect.missingEtagError;
  checkOptionalIfMatch(request, record, dialect);
}

/**
 * Throws an `ApiError` when there is an If-Match and it does not match, as for a DELETE (gap: see
 * docs/upstream.md).
 */
export function checkOptionalIfMatch(
  request: ApiRequest,
  record: Pick<StoredRecord, 'etag'>,
  dialect: Dialect,
): void {
  const header = ifMatchHeader(request);
  if (header === '' || header === '*') return;
  const tags = header.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => etagPattern.test(tag))) throw invalidEtagError;
  if (!tags.includes(record.etag)) throw dialect.staleEtagError;
}

function ifMatchHeader(request: ApiRequest): string {
  return request.headers['if-match']?.trim() ?? '';
}
