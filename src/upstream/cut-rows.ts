/** The rows of a collection that somebody is going to look at, counted from 0; `to` is not among them. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

const beginning = /"value"\s*:\s*\[/;
// What an upstream writes before its rows is a few hundred bytes long.
const maxHead = 64 * 1024;
const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = [
  ...Buffer.from('"\\,{}[]'),
];
const blank = 0x20;

/** Takes a text piece by piece, and gives what is kept of it. */
export interface RowCutter {
  add(piece: Uint8Array): readonly Buffer[];
  end(): readonly Buffer[];
}

/**
 * Cuts the JSON text of an OData collection, as it comes, to the rows of a range: those before it become `{}`, of
 * those after it one `{}` is left to show that there are more.
 *
 * For answers far longer than was asked for: what nobody looks at is neither kept nor parsed. Whatever is no
 * such collection stays as it is.
 */
export function createRowCutter({ from, to }: RowRange): RowCutter {
  let place: 'head' | 'rows' | 'rest' = 'head';
  let head: Buffer = Buffer.alloc(0);
  let row = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isBlank = true;

  const isKept = () => row >= from && row < to;

  /** What is kept of a piece, and where in it the rows end; -1 when they go on in the next. */
  const keepRows = (bytes: Buffer): { kept: Buffer; end: number } => {
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
        // An array of no rows ends where its first one would.
        else if (!isBlank && row <= to) kept.push(emptyRow);
        if (byte === closeBracket) return { kept: Buffer.concat(kept), end: at };
        row += 1;
        isBlank = true;
        start = at + 1;
        if (row <= to) kept.push(separator);
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
    add(piece) {
      const all: Buffer[] = [];
      let bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      if (place === 'head') {
        head = Buffer.concat([head, bytes]);
        const match = beginning.exec(head.toString('latin1'));
        if (!match && head.length <= maxHead) return all;
        const end = match ? match.index + match[0].length : head.length;
        place = match ? 'rows' : 'rest';
        all.push(head.subarray(0, end));
        bytes = head.subarray(end);
      }
      if (place === 'rows') {
        const { kept, end } = keepRows(bytes);
        all.push(kept);
        if (end === -1) return all;
        place = 'rest';
        bytes = bytes.subarray(end);
      }
      all.push(bytes);
      return all;
    },
    end: () => (place === 'head' ? [head] : []),
  };
}

const separator = Buffer.from(',');
const emptyRow = Buffer.from('{}');
