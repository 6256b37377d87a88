import type { FastifyReply } from 'fastify';
import { type ContentCoding, compress } from '../content-coding.ts';
import type { ResponseBody } from '../execution/serialized-response.ts';

/** Shorter responses fit into a few packets, which take as long whether they are full or not. */
export const minCompressedLength = 4 * 1024;

/** Compresses a response, once for all requests that share it, and sends it. `release` gets its length. */
export async function sendCompressed(
  reply: FastifyReply,
  response: ResponseBody,
  coding: ContentCoding,
  release: (kept: number) => void,
): Promise<FastifyReply> {
  response.compressed ??= {};
  response.compressed[coding] ??= compress(response.body, coding, 'fast');
  const body = await response.compressed[coding];
  release(body.length);
  return reply.header('content-encoding', coding).send(body);
}
