import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ContentCoding, compress, negotiateCoding } from '../content-coding.ts';

/** The content of one URL: a page, or a file of a page. */
export interface Content {
  readonly mediaType: string;
  readonly body: Buffer;
  /** Digest of the uncompressed body. */
  readonly digest: string;
  /** The compressed bodies that were requested so far. */
  readonly compressed: Partial<Record<ContentCoding, Buffer | Promise<Buffer>>>;
}

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml; charset=utf-8',
  woff: 'font/woff',
  woff2: 'font/woff2',
};
const isText = (mediaType: string) => mediaType.endsWith('charset=utf-8');
// A shorter body fits into one packet with its headers.
const minCompressedLength = 1024;

/** Creates content. The extension of the file name determines the media type. */
export function createContent(name: string, text: string | Buffer): Content {
  const body = Buffer.from(text);
  return {
    mediaType: mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    body,
    digest: createHash('sha256').update(body).digest('base64url'),
    compressed: {},
  };
}

/**
 * Sends content, compressed if the client accepts it, or 304 if the client has it. The content is compressed once per
 * coding. By default the client must revalidate it at each use.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: Content,
  cacheControl = 'no-cache',
): Promise<FastifyReply> {
  const { mediaType, body, digest, compressed } = content;
  const isCompressible = isText(mediaType) && body.length >= minCompressedLength;
  const coding = isCompressible ? negotiateCoding(request, reply) : null;
  const etag = coding === null ? `"${digest}"` : `"${digest}-${coding}"`;
  reply.headers({ 'cache-control': cacheControl, etag });
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  reply.type(mediaType);
  if (coding === null) return reply.send(body);
  compressed[coding] ??= compress(body, coding, 'small');
  return reply.header('content-encoding', coding).send(await compressed[coding]);
}

/** Whether `If-None-Match` names an ETag, by weak comparison (RFC 9110, section 13.1.2). */
const matchesEtag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag));
