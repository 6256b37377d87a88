import type { EnumMapping } from '../../graph/enum-mapping.ts';
import type { TransferEstimate } from '../../http/resilience/transfer-times.ts';
import type { FieldKind } from '../record-set.ts';
import type { RowView } from './views.ts';

/** An expansion of which every row brings the record again, and the call that it saves. */
export interface ExpansionCosts {
  /** Bytes that the expansion adds over loading each record once. */
  readonly extraBytes: number;
  /** What these bytes take. */
  readonly extraMs: number;
  /** What one more call takes. */
  readonly callMs: number;
}

// Measured at 0, 20 and 150 ms (docs/decisions/0030-expansion.md): receiving and parsing a byte of a row, and all work of a call,
// the upstream's round trip apart.
const minMsPerByte = 2e-5;
const callWorkMs = 0.15;

// Typical lengths of JSON values, with their quotes and the comma.
const bytesByKind: Readonly<Record<Exclude<FieldKind, EnumMapping>, number>> = {
  text: 22,
  code: 12,
  word: 12,
  uuid: 39,
  date: 13,
  dateTime: 27,
  decimal: 8,
  int: 6,
  safeInt: 11,
  boolean: 6,
  object: 120,
};
const bytesOfEnum = 12;
// `{"@odata.etag":"W/\"…\""},` with a tag as the real service writes it.
const bytesOfRow = 75;

/** The bytes of a row with these columns, without its expansions. */
export function estimateRowBytes({ columns }: RowView): number {
  let bytes = bytesOfRow;
  for (const { name, kind } of columns)
    bytes += name.length + 3 + (typeof kind === 'object' ? bytesOfEnum : bytesByKind[kind]);
  return bytes;
}

/**
 * What an expansion costs: `rows` lead to `rows * distinctShare` different records. `quotaMs` is the part of the caller's
 * quota that a call takes up, as time.
 */
export function costExpansion(
  rows: number,
  rowBytes: number,
  distinctShare: number,
  { roundTripMs, msPerByte }: TransferEstimate,
  quotaMs: number,
): ExpansionCosts {
  const extraBytes = Math.round(rows * (1 - distinctShare) * rowBytes);
  return {
    extraBytes,
    extraMs: extraBytes * Math.max(msPerByte, minMsPerByte),
    callMs: roundTripMs + callWorkMs + quotaMs,
  };
}
