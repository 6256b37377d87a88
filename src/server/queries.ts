import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import { ownRound } from '../rounds.ts';
import { type Deadline, startDeadline } from '../upstream/deadline.ts';
import { hold, whenGone } from './admission.ts';
import type { Answers } from './answers.ts';
import type { createApollo, LetThrough } from './apollo.ts';
import { callerOf } from './caller.ts';
import type { Entry } from './entry.ts';
import { transportError } from './errors.ts';
import type { Request } from './executor.ts';
import type { Guard, Payload } from './guard.ts';
import { mediaTypeFor } from './media-types.ts';
import type { Refusal } from './refusal.ts';
import type { Sending } from './sending.ts';

declare module 'fastify' {
  interface FastifyRequest {
    letThrough: LetThrough | null;
  }
}

/** The address of the graph, for HTTP and for WebSocket. */
export const graphqlPath = '/graphql';

export interface QueriesOptions {
  readonly managementHeader: string;
  /** How long a query may take; its request may say less. */
  readonly requestTimeoutMs: number;
}

/** What a request passes on its way to an answer, in this order. */
export interface QueryPath {
  readonly entry: Entry;
  readonly guard: Pick<Guard, 'prepare'>;
  /** Null where Apollo Server carries everything out itself, as its own test suite asks. */
  readonly answers: Answers | null;
  readonly apollo: ReturnType<typeof createApollo>;
  readonly sending: Sending;
}

/** Queries and mutations over HTTP. */
export function serveQueries(
  app: FastifyInstance,
  { entry, guard, answers, apollo, sending }: QueryPath,
  { managementHeader, requestTimeoutMs }: QueriesOptions,
): void {
  app.decorateRequest('letThrough', null);
  const byApollo = fastifyApolloHandler(apollo, {
    context: async (request) => ({ requestId: request.id, letThrough: request.letThrough }),
  }) as unknown as (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = await byApollo(request, reply);
    // Apollo refuses what is no request of GraphQL, or may be another site's, before it knows whose it is.
    return reply.statusCode < 400 ? body : withRequestId(body as string, request.id);
  };
  const together = createTogether();

  app.route({
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    url: graphqlPath,
    async handler(request, reply) {
      const mediaType = mediaTypeFor(request.headers);
      // Apollo looks at that when the work is done: a change would be made, and its answer lost.
      if (mediaType === null)
        return reply.code(406).send(transportError(notAcceptable, 'BAD_USER_INPUT', request.id));
      const payload = payloadOf(request);
      // Apollo says what is wrong with it, and with requests that other sites may have sent.
      if (payload === null) {
        // It reads addresses another way than this server does: what was not understood here is not for it either.
        if (request.method === 'GET') request.raw.url = graphqlPath;
        return answer(request, reply);
      }
      const allowedMs = timeOf(request, requestTimeoutMs);
      if (allowedMs === null) {
        const message = `\`${timeoutHeader}\` must be a whole number of milliseconds.`;
        return reply.code(400).send(transportError(message, 'BAD_USER_INPUT', request.id));
      }
      const entering = entry.enter(callerOf(request, managementHeader));
      const caller = entering instanceof Promise ? await entering : entering;
      if ('errors' in caller) return refuse(reply, request, caller);
      hold(reply.raw, caller.place);
      // What is long takes long to look through: others have their turns between two of them.
      if (Number(request.headers['content-length']) > longBody) await ownRound();
      const prepared = await guard.prepare(payload, caller, 'queries');
      if ('errors' in prepared) return refuse(reply, request, prepared);
      const deadline = deadlineOf(prepared, request, reply, allowedMs);
      if (answers && isJson(request)) {
        const { status, body } = await answers.of(prepared, deadline);
        await together();
        const unsent = sending(prepared, reply, body);
        if (unsent) return refuse(reply, request, unsent);
        if (status === 503) reply.header('retry-after', '1');
        return reply.code(status).type(mediaType).send(body);
      }
      request.letThrough = { request: prepared, deadline };
      nameText(request, payload, prepared.text);
      const body = await answer(request, reply);
      const unsent = typeof body === 'string' && sending(prepared, reply, body);
      return unsent ? refuse(reply, request, unsent) : body;
    },
  });
}

// No page of another site can send it without asking first. Apollo looks at everything else.
const isJson = ({ method, headers }: FastifyRequest) =>
  method === 'POST' && headers['content-type']?.startsWith('application/json') === true;

const longBody = 8 * 1024;
const notAcceptable =
  'Answers are application/graphql-response+json or application/json. Name one of them in `Accept`.';
const timeoutHeader = 'x-request-timeout';

/** How many milliseconds a request has, or null where it does not say so in a way that can be understood. */
function timeOf({ headers }: FastifyRequest, longestMs: number): number | null {
  const given = headers[timeoutHeader];
  if (given === undefined) return longestMs;
  return typeof given === 'string' && /^[1-9]\d{0,8}$/.test(given)
    ? Math.min(Number(given), longestMs)
    : null;
}

/** A query is given up when its time is over or its client has left. A change is not: it would be done by halves. */
function deadlineOf(
  { operation }: Request,
  { arrivedAt }: FastifyRequest,
  { raw }: FastifyReply,
  allowedMs: number,
): Deadline | null {
  if (operation.operation !== 'query') return null;
  const deadline = startDeadline(Math.max(1, arrivedAt + allowedMs - performance.now()));
  whenGone(raw, () => deadline.end());
  return deadline;
}

// More would wait for one another's work.
const fewTogether = 16;

/**
 * Resolves at the end of this turn of the event loop for those who wait in it, or as soon as they are sixteen: answers
 * that are sent one right after another wake who reads them once.
 */
function createTogether(): () => Promise<void> {
  let waiting: (() => void)[] = [];
  const go = () => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(go);
      if (waiting.length === fewTogether) go();
    });
}

function withRequestId(body: string, requestId: string): string {
  const { errors = [], ...rest } = JSON.parse(body) as { errors?: readonly GraphQLFormattedError[] };
  const named = errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } }));
  return JSON.stringify({ ...rest, errors: named });
}

/** Sends a refusal as an answer of GraphQL over HTTP. */
export function refuse(
  reply: FastifyReply,
  { headers }: Pick<FastifyRequest, 'headers'>,
  { status, errors, retryAfterSeconds = status === 503 ? 1 : undefined }: Refusal,
): FastifyReply {
  if (status === 401)
    reply.header('www-authenticate', headers.authorization ? 'Bearer error="invalid_token"' : 'Bearer');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  return reply
    .code(status)
    .type(mediaTypeFor(headers) ?? 'application/json; charset=utf-8')
    .send(JSON.stringify({ errors }));
}

/** What a request asks for; null where it is none that GraphQL knows. */
export function payloadOf({ method, body, query }: FastifyRequest): Payload | null {
  const given = (method === 'GET' ? query : body) as Record<string, unknown> | null | undefined;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null;
  if (method !== 'GET') return given;
  try {
    const { variables, extensions, ...rest } = given;
    return {
      ...rest,
      ...(variables !== undefined && { variables: JSON.parse(String(variables)) }),
      ...(extensions !== undefined && { extensions: JSON.parse(String(extensions)) }),
    };
  } catch {
    return null;
  }
}

/**
 * Puts what the guard has understood in the place of the request: the libraries know documents by their texts alone, and
 * read an address in a way of their own, by which it could be another request.
 */
function nameText(request: FastifyRequest, { query, extensions, ...payload }: Payload, text: string): void {
  const { operationName, variables } = payload;
  if (request.method !== 'GET') {
    if (query === text && extensions === undefined && operationName !== '') return;
    request.body = {
      query: text,
      ...(operationName ? { operationName } : {}),
      ...(variables ? { variables } : {}),
    };
    return;
  }
  const parameters = new URLSearchParams({ query: text });
  if (operationName) parameters.set('operationName', String(operationName));
  if (variables) parameters.set('variables', JSON.stringify(variables));
  request.raw.url = `${request.url.split('?')[0]}?${parameters}`;
}
