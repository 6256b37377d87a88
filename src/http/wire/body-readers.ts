import { isUtf8 } from 'node:buffer';
import type { Gunzip } from 'node:zlib';
import * as zlib from 'node:zlib';
import { errors } from 'undici';
import type { BodyFilter } from '../call.ts';
import type { ResponseHeaders } from '../response.ts';

/** Reads a body as text while it arrives. The text is null where the body is not UTF-8. */
export interface BodyReader {
  add(chunk: Buffer): void;
  /** Throws where the body cannot be decoded. */
  end(): string | null | Promise<string | null>;
  /** Stops reading a body that nobody needs any more. */
  destroy?(cause?: Error): void;
}

interface StreamingBodyReader extends BodyReader {
  end(): string | null;
}

/** Controls the sender of a body. */
export interface BodyFlow {
  pause(): void;
  resume(): void;
  /** The body is too long, or cannot be decoded. */
  fail(error: Error): void;
}

/** A body is not in the content coding that its header names. */
export class UndecodableBody extends Error {
  override readonly name = 'UndecodableBody';

  constructor(cause: Error) {
    super('The body is not in the content coding that its header names.', { cause });
  }
}

// zlib's error for data that end too early, as where the connection ended them.
const cutCode = 'Z_BUF_ERROR';

const toDecodingError = (error: NodeJS.ErrnoException): Error =>
  error.code === cutCode || error instanceof errors.ResponseExceededMaxSizeError
    ? error
    : new UndecodableBody(error);

// Bodies of at most this length are decoded in one piece.
const maxBufferedBytes = 1024 * 1024;
const byteOrderMark = '\ufeff';

/** Reads a body that is not compressed. */
export function createBodyReader(
  contentLength: number,
  createFilter: (() => BodyFilter) | undefined,
): BodyReader {
  return contentLength <= maxBufferedBytes
    ? new BufferedBodyReader()
    : createStreamingBodyReader(createFilter?.());
}

/** Reads no body in a coding that is not known: its text is null, unless it is empty. */
export function createUnknownBodyReader(): BodyReader {
  let isEmpty = true;
  return {
    add() {
      isEmpty = false;
    },
    end: () => (isEmpty ? '' : null),
  };
}

class BufferedBodyReader implements BodyReader {
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  end(): string | null {
    const [first] = this.#chunks;
    return decodeText(this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks));
  }
}

function decodeText(body: Buffer): string | null {
  // One that was cut within a character ends with its first bytes.
  const isText = [0, 1, 2, 3].some((cut) => isUtf8(body.subarray(0, body.length - cut)));
  if (!isText) return null;
  // What is not a character becomes one that is invalid in JSON outside of its strings.
  const text = body.toString('utf8');
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

// Filters and decodes each chunk as it arrives: the bytes and the text of a long body together would be most of the heap.
function createStreamingBodyReader(filter: BodyFilter | undefined): StreamingBodyReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text: string | null = '';
  const decode = (chunks: readonly Buffer[]) => {
    if (text === null) return;
    try {
      for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    } catch {
      text = null;
    }
  };
  return {
    add: (chunk) => decode(filter?.add(chunk) ?? [chunk]),
    end() {
      decode(filter?.end() ?? []);
      try {
        return text === null ? null : text + decoder.decode();
      } catch {
        // The body ends within a character, perhaps because it was cut: the replacement character makes it invalid JSON.
        return `${text}\ufffd`;
      }
    },
  };
}

// Up to this length a body is decompressed in one piece: a stream, which works in other threads, takes longer.
const maxHeldBytes = 64 * 1024;
const decoderChunkBytes = 64 * 1024;

interface RunningDecoder {
  readonly stream: Gunzip;
  /** Reads the decompressed data. */
  readonly reader: StreamingBodyReader;
}

/** Reads a compressed body, of at most `maxBytes` decompressed. */
export function createCompressedBodyReader(
  coding: ContentCoding,
  maxBytes: number,
  createFilter: (() => BodyFilter) | undefined,
  flow: BodyFlow,
): BodyReader {
  const held: Buffer[] = [];
  let heldBytes = 0;
  let decoder: RunningDecoder | undefined;

  const startDecoder = (): RunningDecoder => {
    const reader = createStreamingBodyReader(createFilter?.());
    let decodedBytes = 0;
    const started = coding.createDecoder({ chunkSize: decoderChunkBytes });
    started.on('data', (chunk: Buffer) => {
      decodedBytes += chunk.length;
      if (decodedBytes > maxBytes) started.destroy(new errors.ResponseExceededMaxSizeError());
      else reader.add(chunk);
    });
    started.on('drain', flow.resume);
    started.on('error', (error) => flow.fail(toDecodingError(error)));
    for (const chunk of held) started.write(chunk);
    return { stream: started, reader };
  };

  const readRest = ({ stream, reader }: RunningDecoder) =>
    new Promise<string | null>((resolve) => {
      stream.on('end', () => resolve(reader.end()));
      stream.end();
    });

  return {
    add(chunk) {
      if (decoder) {
        if (!decoder.stream.write(chunk)) flow.pause();
        return;
      }
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes > maxHeldBytes) decoder = startDecoder();
    },
    end() {
      if (decoder) return readRest(decoder);
      if (heldBytes === 0) return '';
      const maxOutputLength = Math.min(maxBytes, maxBufferedBytes);
      try {
        return decodeText(coding.decode(Buffer.concat(held), { maxOutputLength }));
      } catch (error) {
        const failure = error as NodeJS.ErrnoException;
        if (failure.code !== 'ERR_BUFFER_TOO_LARGE') throw toDecodingError(failure);
        decoder = startDecoder();
        return readRest(decoder);
      }
    },
    destroy() {
      decoder?.stream.destroy();
    },
  };
}

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
