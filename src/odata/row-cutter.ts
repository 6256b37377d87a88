import type { BodyFilter } from '../http/call.ts';

/** A range of rows of a collection, counted from 0; `to` is exclusive. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

const rowsStart = /"value"\s*:\s*\[/;
// Upstreams write a few hundred bytes before the rows.
const maxPrefixBytes = 64 * 1024;
const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = [
  ...Buffer.from('"\\,{}[]'),
];
const blank = 0x20;
const rowSeparator = Buffer.from(',');
const emptyRow = Buffer.from('{}');

/**
 * Cuts the JSON text of an OData collection, while it is received, to a range of rows. Each row before the range becomes
 * `{}`; of the rows after it one `{}` is left, to show that there are more. Other JSON passes unchanged.
 *
 * For responses far longer than requested: rows that are not needed are neither kept nor parsed.
 */
export function createRowCutter({ from, to }: RowRange): BodyFilter {
  let place: 'prefix' | 'rows' | 'suffix' = 'prefix';
  let prefix: Buffer = Buffer.alloc(0);
  let row = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isBlank = true;

  const isKept = () => row >= from && row < to;

  /** Returns what to keep of a chunk, and where in it the rows end; -1 where they continue in the next chunk. */
  const cutRows = (bytes: Buffer): { kept: Buffer; end: number } => {
    const kept: Buffer[] = [];
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInString = false;
        continue;
      }
      if (depth === 0 && (byte === comma || byte === closeBracket)) {
        if (isKept()) kept.push(bytes.subarray(start, at));
        // In an empty array there is no row before the closing bracket.
        else if (!isBlank && row <= to) kept.push(emptyRow);
        if (byte === closeBracket) return { kept: Buffer.concat(kept), end: at };
        row += 1;
        isBlank = true;
        start = at + 1;
        if (row <= to) kept.push(rowSeparator);
        continue;
      }
      if (byte > blank) isBlank = false;
      if (byte === quote) isInString = true;
      else if (byte === openBrace || byte === openBracket) depth += 1;
      else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    }
    if (isKept()) kept.push(bytes.subarray(start));
    return { kept: Buffer.concat(kept), end: -1 };
  };

  return {
    add(chunk) {
      const kept: Buffer[] = [];
      let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      if (place === 'prefix') {
        prefix = Buffer.concat([prefix, bytes]);
        const match = rowsStart.exec(prefix.toString('latin1'));
        if (!match && prefix.length <= maxPrefixBytes) return kept;
        const end = match ? match.index + match[0].length : prefix.length;
        place = match ? 'rows' : 'suffix';
        kept.push(prefix.subarray(0, end));
        bytes = prefix.subarray(end);
      }
      if (place === 'rows') {
        const rows = cutRows(bytes);
        kept.push(rows.kept);
        if (rows.end === -1) return kept;
        place = 'suffix';
        bytes = bytes.subarray(rows.end);
      }
      kept.push(bytes);
      return kept;
    },
    end: () => (place === 'prefix' ? [prefix] : []),
  };
}
