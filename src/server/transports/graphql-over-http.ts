import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import type { CallerReader } from '../caller.ts';
import { addVary, type ContentCoding, compress, negotiateCoding } from '../content-coding.ts';
import type { Responder, ResponseBody } from '../execution/responder.ts';
import type { GraphqlRequest, Guard } from '../guard/guard.ts';
import type { Admission } from '../load/admission.ts';
import { holdSlot } from '../load/request-slots.ts';
import type { LimitResponse } from '../load/unread-bytes.ts';
import { graphqlPath } from '../paths.ts';
import { transportError } from '../rejection.ts';
import type { AcceptedRequest, createApollo } from './apollo.ts';
import type { EventStreams } from './event-streams.ts';
import {
  invalidTimeout,
  negotiateEvents,
  negotiateMediaType,
  readPayload,
  readTimeout,
  replacePayload,
  sendRejection,
  startQueryDeadline,
} from './http-request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    acceptedRequest: AcceptedRequest | null;
  }
}

export interface GraphqlOverHttpOptions {
  readonly callers: CallerReader;
  /** Maximum duration of a query. A request can lower it with `x-request-timeout`. */
  readonly requestTimeoutMs: number;
  /** Names of headers, in lower case, on which responses depend. */
  readonly cacheKeyHeaders: readonly string[];
}

export interface RequestPipeline {
  readonly admission: Admission;
  readonly guard: Pick<Guard, 'prepare'>;
  /** Null to execute everything through Apollo Server, as its own test suite requires. */
  readonly responder: Responder | null;
  readonly apollo: ReturnType<typeof createApollo>;
  /** For clients that accept event streams. */
  readonly streams: Pick<EventStreams, 'handle' | 'respond'>;
  readonly limitResponse: LimitResponse;
}

/** Serves queries and mutations over HTTP, and all operations to clients that accept event streams. */
export function serveGraphqlOverHttp(
  app: FastifyInstance,
  { admission, guard, responder, apollo, streams, limitResponse }: RequestPipeline,
  { callers, requestTimeoutMs, cacheKeyHeaders }: GraphqlOverHttpOptions,
): void {
  app.decorateRequest('acceptedRequest', null);
  const apolloHandler = fastifyApolloHandler(apollo, {
    context: async (request) => ({ requestId: request.id, accepted: request.acceptedRequest }),
  }) as unknown as (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  const executeByApollo = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = await apolloHandler(request, reply);
    // Apollo rejects malformed and cross-site requests itself, without a request id.
    return reply.statusCode < 400 ? body : addRequestId(body as string, request.id);
  };
  const allowCaching = createResponseCaching(cacheKeyHeaders);
  const sendResponse = (
    prepared: GraphqlRequest,
    request: FastifyRequest,
    reply: FastifyReply,
    response: ResponseBody & { readonly hasErrors: boolean },
  ) => {
    const counted = limitResponse(prepared, reply, response.body);
    if ('errors' in counted) return sendRejection(reply, request, counted);
    if (!response.hasErrors) allowCaching(prepared, reply);
    if (response.body.length < minCompressedLength) return reply.send(response.body);
    const coding = negotiateCoding(request, reply);
    return coding === null
      ? reply.send(response.body)
      : sendCompressed(reply, response, coding, counted.release);
  };

  app.route({
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    url: graphqlPath,
    async handler(request, reply) {
      const events = negotiateEvents(request.headers);
      if (events === 'all') return streams.handle(request, reply, 'all');
      const mediaType = negotiateMediaType(request.headers);
      // Checked before execution: Apollo checks it after a mutation has taken effect.
      if (mediaType === null)
        return reply.code(406).send(transportError(notAcceptable, 'BAD_USER_INPUT', request.id));
      const payload = readPayload(request);
      // Apollo produces the error for a body that is not an object.
      if (payload === null) return executeByApollo(request, reply);
      const timeoutMs = readTimeout(request, requestTimeoutMs);
      if (timeoutMs === null)
        return reply.code(400).send(transportError(invalidTimeout, 'BAD_USER_INPUT', request.id));
      const admitted = admission.admit(callers.fromRequest(request));
      const caller = admitted instanceof Promise ? await admitted : admitted;
      if ('errors' in caller) return sendRejection(reply, request, caller);
      holdSlot(reply.raw, caller.slot);
      const carried = events === 'none' ? 'queries' : 'all';
      const prepared = await guard.prepare(payload, caller, carried);
      if ('errors' in prepared) return sendRejection(reply, request, prepared);
      if (prepared.operation.operation === 'subscription') return streams.respond(prepared, request, reply);
      const deadline = startQueryDeadline(prepared, request, reply, timeoutMs);
      if (responder && isJsonPost(request)) {
        const response = await responder.respond(prepared, deadline);
        if (response.status === 503) reply.header('retry-after', '1');
        return sendResponse(prepared, request, reply.code(response.status).type(mediaType), response);
      }
      const accepted: AcceptedRequest = { request: prepared, deadline };
      request.acceptedRequest = accepted;
      replacePayload(request, payload, prepared.text);
      const body = await executeByApollo(request, reply);
      if (typeof body !== 'string') return body;
      return sendResponse(prepared, request, reply, { body, hasErrors: accepted.hasErrors !== false });
    },
  });
}

// A cross-site page cannot send these without a preflight. Apollo checks all other requests.
const isJsonPost = ({ method, mediaType }: FastifyRequest) =>
  method === 'POST' && mediaType === 'application/json';

const notAcceptable =
  'No acceptable media type. Name application/graphql-response+json or application/json in `Accept`, or text/event-stream.';
function addRequestId(body: string, requestId: string): string {
  const { errors = [], ...rest } = JSON.parse(body) as { errors?: readonly GraphQLFormattedError[] };
  const withIds = errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } }));
  return JSON.stringify({ ...rest, errors: withIds });
}

// Request headers on which every response depends.
const fixedHeaders = ['accept', 'accept-language', 'authorization', 'tributary-explain', 'tributary-read'];

/**
 * Creates the function that sets the caching headers of a response (RFC 9111). The client, but no shared cache, may
 * store it for as long as its types allow, for requests with equal values of `keyHeaders`. Explained responses and
 * reads of the primary are not cached.
 */
function createResponseCaching(
  keyHeaders: readonly string[],
): (request: GraphqlRequest, reply: FastifyReply) => void {
  const vary = [...new Set([...fixedHeaders, ...keyHeaders])].join(', ');
  return ({ maxAge, caller: { isExplained, readsPrimary } }, reply) => {
    if (maxAge === 0 || isExplained || readsPrimary) return;
    reply.header('cache-control', `private, max-age=${maxAge}`);
    addVary(reply, vary);
  };
}

/** Compression saves no time for shorter responses, which fit into a few packets. */
const minCompressedLength = 4 * 1024;

/** Compresses a response, once for all requests that share it, and sends it. Calls `release` with its new length. */
async function sendCompressed(
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
