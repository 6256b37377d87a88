import { isUtf8 } from 'node:buffer';

/** The start of a text, at most `max` UTF-16 code units: one fewer where the cut would split a character. */
export const cutText = (text: string, max: number): string =>
  text.slice(0, text.length > max && /[\ud800-\udbff]/.test(text.charAt(max - 1)) ? max - 1 : max);

/** The first line, from 1, that is not UTF-8; null where all are. No character of several bytes has a line feed in it. */
export function findInvalidUtf8Line(bytes: Uint8Array): number | null {
  if (isUtf8(bytes)) return null;
  let line = 1;
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
    line += 1;
  }
}

/** Whether bytes begin with the byte order mark of UTF-16, in which some shells write what a command prints. */
const hasUtf16Mark = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);

/** Why bytes are no text in UTF-8, and what to do, in sentences; null where they are. */
export function explainNoUtf8(bytes: Uint8Array): string | null {
  if (hasUtf16Mark(bytes)) return 'It is in UTF-16. Save it as UTF-8.';
  const line = findInvalidUtf8Line(bytes);
  return line === null ? null : `Line ${line} is not UTF-8 text. Save it as UTF-8.`;
}
