import { redactedToken } from './token-patterns.ts';

// Fewer characters of a token in a row reveal nothing about it.
const minFragmentLength = 12;
// Ten base-36 digits are an integer that a double holds exactly: 36 ** 10 < 2 ** 53.
const windowSize = 10;
const weight = 36 ** (windowSize - 1);
const minWindows = minFragmentLength - windowSize + 1;

// One character escaped as in a URL, JSON, JavaScript or HTML, or a line break as JSON and HTML write it.
const escapePattern =
  /%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,4});|&#(\d{1,5});|\\[nrt]|<w?br ?\/?>/iy;
const base64Run = /[\w+/-]{16,}(?:\r?\n[ \t]{0,8}[\w+/-]{4,})*={0,2}/g;

/**
 * Creates the redaction of a token and its fragments: any twelve letters and digits of it in a row, in either case, escaped,
 * wrapped, or with other characters in between, and also within Base64. Linear in the length of the text (Rabin–Karp rolling
 * hash).
 */
export function createFragmentRedactor(token: string): (text: string) => string {
  const known = createTokenWindows(token);
  const cutRead = (text: string, read: ReadLetters): string => {
    let kept = '';
    let keptTo = 0;
    for (const [from, to] of findRanges(read(text), known)) {
      kept += text.slice(keptTo, from) + redactedToken;
      keptTo = to;
    }
    return kept + text.slice(keptTo);
  };
  const readings = listReadings(token);
  const cut = (text: string): string => readings.reduce(cutRead, text);
  // A run of Base64 may begin at any position of a Base64 group.
  const isEncoded = (run: string) =>
    [0, 1, 2, 3].some((skipped) => {
      const decoded = Buffer.from(run.slice(skipped), 'base64').toString('latin1');
      return readings.some((read) => findRanges(read(decoded), known).length > 0);
    });
  return (text) => cut(text).replace(base64Run, (run) => (isEncoded(run) ? redactedToken : run));
}

/** The windows of a token: each ten letters and digits in a row, as one number. */
interface TokenWindows {
  /** Bloom filter: false means that the token does not have the window. */
  mayHave(window: number): boolean;
  has(window: number): boolean;
}

// The exact set is created only for a text that passes the filter: most errors quote no token.
const filterBits = 2 ** 16;

function createTokenWindows(token: string): TokenWindows {
  const all = listReadings(token).map((read) => computeWindows(read(token)));
  const filter = new Uint8Array(filterBits / 8);
  for (const windows of all)
    for (const window of windows) {
      const bit = window & (filterBits - 1);
      filter[bit >> 3] = (filter[bit >> 3] as number) | (1 << (bit & 7));
    }
  let exact: ReadonlySet<number> | undefined;
  return {
    mayHave(window) {
      const bit = window & (filterBits - 1);
      return ((filter[bit >> 3] as number) & (1 << (bit & 7))) !== 0;
    },
    has(window) {
      exact ??= new Set(all.flatMap((windows) => [...windows]));
      return exact.has(window);
    },
  };
}

/** The letters and digits of a text, each as a base-36 digit with its position: `from` inclusive, `to` exclusive. */
interface Letters {
  readonly count: number;
  readonly values: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

type ReadLetters = (text: string) => Letters;

/**
 * How a text may quote a token. Where the token itself has characters of escapes, what looks like an escape may be one of the
 * upstream's, or a part of the token.
 */
const listReadings = (token: string): readonly ReadLetters[] =>
  /[%\\&<]/.test(token) ? [readLetters, readLiteralLetters] : [readLetters];

/** Reads each escape as the character that it stands for. */
const readLetters: ReadLetters = (text) => scanLetters(text, true);

/** Reads each escape as the characters that it consists of. */
const readLiteralLetters: ReadLetters = (text) => scanLetters(text, false);

function scanLetters(text: string, hasEscapes: boolean): Letters {
  const { length } = text;
  const [values, from, to] = [new Uint8Array(length), new Int32Array(length), new Int32Array(length)];
  let count = 0;
  for (let at = 0, next = 0; at < length; at = next) {
    let code = text.charCodeAt(at);
    next = at + 1;
    if (hasEscapes && (code === percent || code === backslash || code === ampersand || code === lessThan)) {
      escapePattern.lastIndex = at;
      const found = escapePattern.exec(text);
      if (found === null) continue;
      next = escapePattern.lastIndex;
      const [, inAddress, inJson, inScript, inHtml, inHtmlDecimal] = found;
      const hex = inAddress ?? inJson ?? inScript ?? inHtml;
      code = hex === undefined ? Number(inHtmlDecimal ?? 0) : Number.parseInt(hex, 16);
    }
    const value = toDigit(code);
    if (value === null) continue;
    values[count] = value;
    from[count] = at;
    to[count] = next;
    count += 1;
  }
  return { count, values, from, to };
}

const [percent, backslash, ampersand, lessThan] = [0x25, 0x5c, 0x26, 0x3c];

function toDigit(code: number): number | null {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a && code < 0x80 ? lower - 0x61 + 10 : null;
}

/** Every ten letters in a row as one number, in order. */
function computeWindows({ count, values }: Letters): Float64Array {
  const windows = new Float64Array(Math.max(0, count - windowSize + 1));
  let window = 0;
  for (let at = 0; at < count; at++) {
    if (at >= windowSize) window -= (values[at - windowSize] as number) * weight;
    window = window * 36 + (values[at] as number);
    if (at >= windowSize - 1) windows[at - windowSize + 1] = window;
  }
  return windows;
}

/** The ranges of the text of these letters that hold fragments of the token, as `from` inclusive, `to` exclusive. */
function findRanges(letters: Letters, known: TokenWindows): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  const windows = computeWindows(letters);
  if (!mayContainFragment(windows, known)) return ranges;
  let inRow = 0;
  for (const [index, window] of windows.entries()) {
    inRow = known.has(window) ? inRow + 1 : 0;
    if (inRow < minWindows) continue;
    const to = letters.to[index + windowSize - 1] as number;
    const last = ranges.at(-1);
    if (last && inRow > minWindows) last[1] = to;
    else ranges.push([letters.from[index - minWindows + 1] as number, to]);
  }
  return ranges;
}

function mayContainFragment(windows: Float64Array, known: TokenWindows): boolean {
  let inRow = 0;
  for (const window of windows) {
    inRow = known.mayHave(window) ? inRow + 1 : 0;
    if (inRow === minWindows) return true;
  }
  return false;
}
