import type { BearerCodes, Caller } from '../bearer.ts';
import { forbidden } from '../bearer.ts';
import type { Call } from '../http.ts';
import { isJson } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { Dialect } from './dialect.ts';
import { invalidTag } from './dialect.ts';
import type { StoredRecord } from './store.ts';

/** The words area A uses for the ways a token can be refused. */
export const bearerCodes: BearerCodes = {
  missing: 'Authentication_InvalidCredentials',
  expired: 'Authentication_InvalidCredentials',
  denied: 'Authorization_RequestDenied',
};

/** One entity tag, weak or strong; base64 needs none of the characters left out. */
const tagPattern = /^(?:W\/)?"[\x21\x23-\x2b\x2d-\x7e]*"$/;

/** Lets a write through when its caller may do more than read. */
export function expectWriter(caller: Caller): void {
  if (caller.isReader) throw forbidden(bearerCodes);
}

/** A content type is required on calls with a body (Endpoints, Headers). */
export function expectJson(call: Call): void {
  if (isJson(call)) return;
  throw new Refusal(415, 'BadRequest', 'The content type of the request body must be application/json.');
}

/**
 * Lets a PATCH through when its If-Match names the current entity tag (A, update rule 3). The
 * header is required on customers and items; on orders and employees, where the document is
 * silent, it is required too (gap: see docs/upstream.md).
 */
export function checkIfMatch(call: Call, record: StoredRecord, dialect: Dialect): void {
  if (tagOf(call) === '') throw dialect.missingTag;
  checkIfMatchSent(call, record, dialect);
}

/** Lets a DELETE through, whose If-Match is checked only where there is one (gap: see docs/upstream.md). */
export function checkIfMatchSent(call: Call, record: StoredRecord, dialect: Dialect): void {
  const header = tagOf(call);
  if (header === '' || header === '*') return;
  const tags = header.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => tagPattern.test(tag))) throw invalidTag;
  if (!tags.includes(record.etag)) throw dialect.staleTag;
}

function tagOf(call: Call): string {
  return call.headers['if-match']?.trim() ?? '';
}
