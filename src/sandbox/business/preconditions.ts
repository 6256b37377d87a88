import type { Call } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { StoredRecord } from './store.ts';

/** One entity tag, weak or strong; base64 needs none of the characters left out. */
const tagPattern = /^(?:W\/)?"[\x21\x23-\x2b\x2d-\x7e]*"$/;

/**
 * Lets a PATCH through when its If-Match names the current entity tag (A, update rule 3). The
 * header is required on customers and items; on orders and employees, where the document is
 * silent, it is required too (gap: see docs/upstream.md).
 */
export function checkIfMatch(call: Call, record: StoredRecord): void {
  const header = call.headers['if-match']?.trim();
  if (header === undefined || header === '') {
    throw new Refusal(
      428,
      'PreconditionRequired',
      'The request must carry an If-Match header with the entity tag.',
    );
  }
  if (header === '*') return;
  const tags = header.split(',').map((tag) => tag.trim());
  if (!tags.every((tag) => tagPattern.test(tag))) {
    throw new Refusal(
      400,
      'BadRequest_InvalidToken',
      'Could not validate the client concurrency token required by the service. Please provide a valid token in the client request.',
    );
  }
  if (!tags.includes(record.etag)) {
    throw new Refusal(412, 'PreconditionFailed', 'Another user has already changed the record.');
  }
}
