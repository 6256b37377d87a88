import { invalidInput, type UserError } from '../graph/user-errors.ts';
import type { Attempt, WritePart } from '../upstream/batch.ts';
import type { Outcome } from './outcomes.ts';
import type { Fields } from './records.ts';

/**
 * A write ready to be sent, and what tells its outcome from its first sending; or why it is not sent at all.
 * `settle` throws `UpstreamError` for what a caller cannot act on: then nothing was carried out.
 */
export type Prepared<F extends Fields> =
  | { readonly part: WritePart; settle(first: Attempt): Promise<Outcome<F>> }
  | { readonly faults: readonly UserError[] };

// RFC 9110, entity-tag; the length is ours. Nothing in it can end a header line.
const entityTag = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]{0,1000}"$/;

/** What is wrong with an `ifMatch`, at most one thing. */
export function tagFaults(ifMatch: string, path: readonly string[]): readonly UserError[] {
  if (ifMatch === '*' || entityTag.test(ifMatch)) return [];
  const message = '`ifMatch` takes the `etag` of the record as it was read, or `*`.';
  return [invalidInput(message, ...path, 'ifMatch')];
}
