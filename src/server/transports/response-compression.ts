import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ContentCoding, compress, negotiateContentCoding } from '../content-coding.ts';
import type { ResponseBody } from '../execution/serialized-response.ts';

// Shorter ones fit into a few packets, which take as long whether they are full or not.
const minLength = 4 * 1024;

/** Returns the coding in which a response is sent, null for none. Sets `Vary` where that depends on the client. */
export function negotiateResponseCoding(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { body }: ResponseBody,
): ContentCoding | null {
  if (body.length < minLength) return null;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  return negotiateContentCoding(headers['accept-encoding']);
}

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
