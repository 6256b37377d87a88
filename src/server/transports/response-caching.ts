import type { FastifyReply } from 'fastify';
import { addVary } from '../content-coding.ts';
import type { GraphqlRequest } from '../request.ts';

// What a response depends on besides its URL and body.
const fixedHeaders = ['accept', 'accept-language', 'authorization', 'tributary-explain', 'tributary-read'];

/**
 * Returns what lets the client keep a response for as long as its types allow (RFC 9111): only this client, never a shared
 * cache, and only for requests with the same tokens and places, which the named headers choose. Explained responses and
 * reads of the primary are not kept.
 */
export function createResponseCaching(
  keyHeaders: readonly string[],
): (request: GraphqlRequest, reply: FastifyReply) => void {
  const vary = [...new Set([...fixedHeaders, ...keyHeaders])].join(', ');
  return ({ maxAge, caller: { isExplained, readsPrimary } }, reply) => {
    if (maxAge === 0 || isExplained || readsPrimary) return;
    reply.header('cache-control', `private, max-age=${maxAge}`);
    addVary(reply, vary);
  };
}
