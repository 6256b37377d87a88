import type { Call } from '../http.ts';
import type { Dialect } from './dialect.ts';
import { invalidTag } from './dialect.ts';
import type { StoredRecord } from './store.ts';

/** One entity tag, weak or strong; base64 needs none of the characters left out. */
const tagPattern = /^(?:W\/)?"[\x21\x23-\x2b\x2d-\x7e]*"$/;

/**
 * Lets a PATCH through when its If-Match names the current entity tag (A, update rule 3). The
 * header is required on customers and items; on orders and employees, where the document is
 * silent, it is required too (gap: see docs/upstream.md).
 */
export function checkIfMatch(call: Call, record: StoredRecord, dialect: Dialect): void {
  const header = call.headers['if-match']?.trim();
  if (header === undefined || header === '') throw dialect.missingTag;
  if (header === '*') return;
  const tags = header.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => tagPattern.test(tag))) throw invalidTag;
  if (!tags.includes(record.etag)) throw dialect.staleTag;
}
