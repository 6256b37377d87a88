import { cutOut } from './token-shapes.ts';

// Fewer letters and digits of a token in a row say nothing of it.
const fewestInRow = 12;
// So many letters and digits are one exact number: 36 ** 10 is less than 2 ** 53.
const windowSize = 10;
const weight = 36 ** (windowSize - 1);
const fewestWindows = fewestInRow - windowSize + 1;

// One character as addresses, JSON and HTML escape it, or a line break as JSON and HTML write it.
const escaped =
  /%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,4});|&#(\d{1,5});|\\[nrt]|<w?br ?\/?>/iy;
const base64Run = /[\w+/-]{16,}(?:\r?\n[ \t]{0,8}[\w+/-]{4,})*={0,2}/g;

/**
 * Cuts one token out of texts: all or any twelve letters and digits of it in a row, in either case, escaped, wrapped, or
 * with other characters in between; also where that is in Base64. Takes time in proportion to the text.
 */
export function createFragmentCutter(token: string): (text: string) => string {
  const known = createWindows(token);
  const cut = (text: string): string => {
    let kept = '';
    let keptTo = 0;
    for (const [from, to] of rangesIn(text, known)) {
      kept += text.slice(keptTo, from) + cutOut;
      keptTo = to;
    }
    return kept + text.slice(keptTo);
  };
  // A run of Base64 may begin in the middle of what is encoded.
  const isEncoded = (run: string) =>
    [0, 1, 2, 3].some((skipped) => {
      const decoded = Buffer.from(run.slice(skipped), 'base64').toString('latin1');
      return rangesIn(decoded, known).length > 0;
    });
  return (text) => cut(text).replace(base64Run, (run) => (isEncoded(run) ? cutOut : run));
}

/** The windows of a token: ten of its letters and digits in a row, as one number each. */
interface Windows {
  /** False for nearly all that are not the token's. */
  mayHave(window: number): boolean;
  has(window: number): boolean;
}

// A set of all is made only for a text that may hold some: most errors quote nothing.
const filterBits = 2 ** 16;

function createWindows(token: string): Windows {
  // What looks like an escape in a token may be one, or be escaped itself.
  const plain = token.replace(/[%\\&<]/g, '');
  const forms = plain === token ? [token] : [token, plain];
  const all = forms.map((form) => windowsOf(lettersOf(form)));
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

/** The letters and digits of a text, each as a number below 36, and where it stands: from, and to before. */
interface Letters {
  readonly count: number;
  readonly values: Uint8Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

function lettersOf(text: string): Letters {
  const { length } = text;
  const [values, from, to] = [new Uint8Array(length), new Int32Array(length), new Int32Array(length)];
  let count = 0;
  for (let at = 0, next = 0; at < length; at = next) {
    let code = text.charCodeAt(at);
    next = at + 1;
    if (code === percent || code === backslash || code === ampersand || code === lessThan) {
      escaped.lastIndex = at;
      const found = escaped.exec(text);
      if (found === null) continue;
      next = escaped.lastIndex;
      const [, inAddress, inJson, inScript, inHtml, inHtmlDecimal] = found;
      const hex = inAddress ?? inJson ?? inScript ?? inHtml;
      code = hex === undefined ? Number(inHtmlDecimal ?? 0) : Number.parseInt(hex, 16);
    }
    const value = digitOf(code);
    if (value === null) continue;
    values[count] = value;
    from[count] = at;
    to[count] = next;
    count += 1;
  }
  return { count, values, from, to };
}

const [percent, backslash, ampersand, lessThan] = [0x25, 0x5c, 0x26, 0x3c];

function digitOf(code: number): number | null {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a && code < 0x80 ? lower - 0x61 + 10 : null;
}

/** Every ten letters in a row as one number, in their order. */
function windowsOf({ count, values }: Letters): Float64Array {
  const windows = new Float64Array(Math.max(0, count - windowSize + 1));
  let window = 0;
  for (let at = 0; at < count; at++) {
    if (at >= windowSize) window -= (values[at - windowSize] as number) * weight;
    window = window * 36 + (values[at] as number);
    if (at >= windowSize - 1) windows[at - windowSize + 1] = window;
  }
  return windows;
}

/** Where a text holds enough of a token: the first character and the one behind the last. */
function rangesIn(text: string, known: Windows): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  const letters = lettersOf(text);
  const windows = windowsOf(letters);
  if (!mayHoldEnough(windows, known)) return ranges;
  let inRow = 0;
  for (const [index, window] of windows.entries()) {
    inRow = known.has(window) ? inRow + 1 : 0;
    if (inRow < fewestWindows) continue;
    const to = letters.to[index + windowSize - 1] as number;
    const last = ranges.at(-1);
    if (last && inRow > fewestWindows) last[1] = to;
    else ranges.push([letters.from[index - fewestWindows + 1] as number, to]);
  }
  return ranges;
}

function mayHoldEnough(windows: Float64Array, known: Windows): boolean {
  let inRow = 0;
  for (const window of windows) {
    inRow = known.mayHave(window) ? inRow + 1 : 0;
    if (inRow === fewestWindows) return true;
  }
  return false;
}
