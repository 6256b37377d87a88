import { findInvalidUtf8Line } from '../../runtime/utf8.ts';
import { MetadataError } from './metadata-error.ts';

const marks = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** Encodings that an XML declaration may name, by that of the bytes; ASCII is a part of UTF-8. */
const declarations = {
  'utf-8': /^(?:utf-8|utf8|us-ascii|ascii)$/i,
  'utf-16le': /^(?:utf-16|utf-16le|iso-10646-ucs-2|ucs-2)$/i,
  'utf-16be': /^(?:utf-16|utf-16be|iso-10646-ucs-2|ucs-2)$/i,
} as const;

/** The text of a document in UTF-8, or in UTF-16 with a byte order mark; a text is one already. */
export function decodeXml(source: string | Uint8Array, maxBytes: number): string {
  const bytes = typeof source === 'string' ? Buffer.byteLength(source) : source.byteLength;
  if (bytes > maxBytes)
    throw new MetadataError(1, `the document has ${bytes} bytes; ${maxBytes} is the maximum.`);
  // The parser takes a byte order mark as text.
  if (typeof source === 'string') return source.replace(/^\uFEFF/, '');
  const marked = marks.find(([, mark]) => mark.every((byte, index) => source[index] === byte))?.[0];
  // `<` in UTF-16.
  if (
    marked === undefined &&
    ((source[0] === 0 && source[1] === 0x3c) || (source[0] === 0x3c && source[1] === 0))
  )
    throw refuseEncoding('UTF-16 without a byte order mark');
  const encoding = marked ?? 'utf-8';
  const start = new TextDecoder(encoding).decode(source.subarray(0, 400));
  const [, , declared] = /^<\?xml\s[^>]*?\bencoding\s*=\s*(["'])([\w.:-]{1,40})\1/.exec(start) ?? [];
  if (declared !== undefined && !declarations[encoding].test(declared)) throw refuseEncoding(declared);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(source);
  } catch {
    const line = (encoding === 'utf-8' ? findInvalidUtf8Line(source) : null) ?? 1;
    throw new MetadataError(line, `the document is not ${encoding.toUpperCase()} text.`);
  }
}

const refuseEncoding = (name: string): MetadataError =>
  new MetadataError(
    1,
    `the document is in the encoding ${name}: only UTF-8, and UTF-16 with a byte order mark, are read. Convert it.`,
  );
