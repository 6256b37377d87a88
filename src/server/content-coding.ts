import { promisify } from 'node:util';
import zlib, { constants } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/** Content codings of responses (RFC 9110, section 8.4.1). */
export type ContentCoding = 'br' | 'gzip';

/** `fast` for responses, which are sent once; `small` for files, which are compressed once and sent often. */
type Effort = 'fast' | 'small';

interface Compressor extends Readonly<Record<Effort, object>> {
  /** Uses the thread pool. */
  compress(body: string | Buffer, options: object): Promise<Buffer>;
  compressSync(body: string | Buffer, options: object): Buffer;
}

const brotliParams = (quality: number, windowBits: number) => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: windowBits,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
});
// Measured with `fast`, for 100 KB of records: br 0.6 ms, 3.9 times smaller; gzip 0.9 ms, 3.8.
const compressors: Readonly<Record<ContentCoding, Compressor>> = {
  br: {
    compress: promisify<zlib.InputType, object, Buffer>(zlib.brotliCompress),
    compressSync: zlib.brotliCompressSync,
    fast: brotliParams(1, 18),
    small: brotliParams(5, 22),
  },
  gzip: {
    compress: promisify<zlib.InputType, object, Buffer>(zlib.gzip),
    compressSync: zlib.gzipSync,
    fast: { level: 2 },
    small: { level: 6 },
  },
};

// The fastest comes first.
const preferred = Object.keys(compressors);
const available = [...preferred, 'identity'];

/**
 * Returns the coding that `Accept-Encoding` prefers, the fastest of several equal ones; null for none. Sets `Vary`,
 * since the response depends on the header.
 */
export function negotiateCoding({ headers }: FastifyRequest, reply: FastifyReply): ContentCoding | null {
  addVary(reply, 'Accept-Encoding');
  const accepted = headers['accept-encoding'];
  if (!accepted) return null;
  // The types lack the second argument.
  const negotiator = new Negotiator({ headers: { 'accept-encoding': accepted } }) as unknown as {
    encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined;
  };
  const coding = negotiator.encoding(available, { preferred });
  return coding === undefined || coding === 'identity' ? null : (coding as ContentCoding);
}

/** Adds request headers on which the response depends to `Vary`. */
export function addVary(reply: FastifyReply, headers: string): void {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? headers : `${vary}, ${headers}`);
}

// Compressing this takes about 0.2 ms, as long as handing it to a thread.
const maxSyncLength = 32 * 1024;
// Each chunk of output takes a round trip to the thread pool. The default is 16 KiB.
const chunkSize = 64 * 1024;

/** Compresses a short text synchronously, a long one in the thread pool. */
export function compress(
  body: string | Buffer,
  coding: ContentCoding,
  effort: Effort,
): Buffer | Promise<Buffer> {
  const compressor = compressors[coding];
  if (body.length <= maxSyncLength) return compressor.compressSync(body, compressor[effort]);
  return compressor.compress(body, { ...compressor[effort], chunkSize });
}
