import * as zlib from 'node:zlib';
import type { ResponseHeaders } from '../response.ts';

/** A content coding (RFC 9110, section 8.4.1) in which bodies can be read. */
export interface ContentCoding {
  createDecoder(options: zlib.ZlibOptions): zlib.Gunzip;
  /** Throws `ERR_BUFFER_TOO_LARGE` if the result is longer than `maxOutputLength` bytes. */
  decode(body: Buffer, options: { readonly maxOutputLength: number }): Buffer;
}

// Node.js has zstd since 22.15 and 23.8, which the types of 20 do not name.
const { createZstdDecompress, zstdDecompressSync } = zlib as {
  createZstdDecompress?: ContentCoding['createDecoder'];
  zstdDecompressSync?: ContentCoding['decode'];
};

const gzip: ContentCoding = { createDecoder: zlib.createGunzip, decode: zlib.gunzipSync };
const requestedCodings = new Map<string, ContentCoding>([
  ...(createZstdDecompress && zstdDecompressSync
    ? [['zstd', { createDecoder: createZstdDecompress, decode: zstdDecompressSync }] as const]
    : []),
  ['br', { createDecoder: zlib.createBrotliDecompress, decode: zlib.brotliDecompressSync }],
  ['gzip', gzip],
]);

/** The value of `accept-encoding` that requests compressed bodies. */
export const acceptEncoding = [...requestedCodings.keys()].join(', ');

// RFC 9110, section 8.4.1.3: a recipient should consider `x-gzip` to be equivalent to `gzip`.
const knownCodings = new Map([...requestedCodings, ['x-gzip', gzip]]);

/** The coding of a body; null where it is not encoded, undefined where it was not requested. */
export function readContentCoding(
  { 'content-encoding': header }: ResponseHeaders,
  isRequested: boolean,
): ContentCoding | null | undefined {
  if (header === undefined) return null;
  const name = String(header).toLowerCase();
  if (name === '' || name === 'identity') return null;
  return isRequested ? knownCodings.get(name) : undefined;
}
