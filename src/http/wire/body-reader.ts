import { isAscii, isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { errors } from 'undici';
import type { ResponseHeaders } from '../response.ts';

/** A body is not in the content coding that its header names. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';

  constructor(cause: Error) {
    super('The body is not in the content coding that its header names.', { cause });
  }
}

// zlib's error codes for truncated data and for a result that is too long.
const cutCode = 'Z_BUF_ERROR';
const tooLongCode = 'ERR_BUFFER_TOO_LARGE';

function toDecodingError(error: NodeJS.ErrnoException): Error {
  if (error.code === tooLongCode) return new errors.ResponseExceededMaxSizeError();
  return error.code === cutCode ? error : new UndecodableBody(error);
}

// Up to these lengths a body is decompressed synchronously, which is faster than in another thread.
const maxSyncBytes = 64 * 1024;
const maxSyncOutputBytes = 1024 * 1024;
const byteOrderMark = '\ufeff';

export class BodyReader {
  readonly #maxBytes: number;
  readonly #coding: ContentCoding | null | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** `maxBytes` limits the length after decompression. */
  constructor(headers: ResponseHeaders, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#coding = readContentCoding(headers);
  }

  /** Throws if the body is too long. */
  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) throw new errors.ResponseExceededMaxSizeError();
    this.#chunks.push(chunk);
  }

  /**
   * Returns the text; null if it is not UTF-8 or has a content coding that was not requested. Throws or rejects if the body
   * cannot be decoded or is too long.
   */
  end(): string | null | Promise<string | null> {
    const coding = this.#coding;
    if (this.#bytes === 0) return '';
    if (coding === undefined) return null;
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    return coding === null ? decodeText(body) : this.#decode(coding, body);
  }

  #decode(coding: ContentCoding, body: Buffer): string | null | Promise<string | null> {
    if (body.length <= maxSyncBytes) {
      try {
        const maxOutputLength = Math.min(this.#maxBytes, maxSyncOutputBytes);
        return decodeText(coding.decodeSync(body, { maxOutputLength }));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== tooLongCode) throw toDecodingError(error as Error);
      }
    }
    return promisify(coding.decode)(body, { maxOutputLength: this.#maxBytes }).then(decodeText, (error) => {
      throw toDecodingError(error);
    });
  }
}

function decodeText(body: Buffer): string | null {
  // ASCII is decoded faster as latin1.
  if (isAscii(body)) return body.toString('latin1');
  // A truncated body may end within a character.
  const isText = [0, 1, 2, 3].some((cut) => isUtf8(body.subarray(0, body.length - cut)));
  if (!isText) return null;
  // The incomplete character becomes U+FFFD, which is invalid in JSON outside strings.
  const text = body.toString('utf8');
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

/** A content coding (RFC 9110, section 8.4.1) in which bodies can be read. */
interface ContentCoding {
  /** Throws `ERR_BUFFER_TOO_LARGE` if the result is longer than `maxOutputLength` bytes. */
  decodeSync(body: Buffer, options: { readonly maxOutputLength: number }): Buffer;
  /** The same in another thread. */
  decode(body: Buffer, options: { readonly maxOutputLength: number }, callback: Decoded): void;
}

type Decoded = (error: NodeJS.ErrnoException | null, decoded: Buffer) => void;

/** The value of `accept-encoding` that requests compressed bodies. */
export const acceptEncoding = 'br, gzip';

const gzip: ContentCoding = { decode: zlib.gunzip, decodeSync: zlib.gunzipSync };
const knownCodings = new Map<string, ContentCoding | null>([
  ['br', { decode: zlib.brotliDecompress, decodeSync: zlib.brotliDecompressSync }],
  ['gzip', gzip],
  // RFC 9110, section 8.4.1.3: a recipient should consider `x-gzip` to be equivalent to `gzip`.
  ['x-gzip', gzip],
  ['identity', null],
  ['', null],
]);

/** Returns the coding of a body; null if it is not encoded, undefined if its coding was not requested. */
const readContentCoding = ({ 'content-encoding': name = '' }: ResponseHeaders) =>
  knownCodings.get(String(name).toLowerCase());

/** Whether a body is not encoded or has a coding that was requested. */
export const isKnownCoding = (headers: ResponseHeaders): boolean => readContentCoding(headers) !== undefined;
