import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import type { createApollo } from './apollo.ts';
import { callerOf } from './caller.ts';
import type { Request } from './executor.ts';
import type { Guard, Payload } from './guard.ts';
import type { Refusal } from './refusal.ts';

/** The address of the graph, for HTTP and for WebSocket. */
export const graphqlPath = '/graphql';

/** Queries and mutations over HTTP. */
export function serveQueries(
  app: FastifyInstance,
  apollo: ReturnType<typeof createApollo>,
  guard: Guard,
  managementHeader: string,
): void {
  const letThrough = new WeakMap<FastifyRequest, Request>();
  const answer = fastifyApolloHandler(apollo, {
    context: async (request) => ({ requestId: request.id, request: letThrough.get(request) ?? null }),
  }) as unknown as (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  app.route({
    method: ['GET', 'POST'],
    url: graphqlPath,
    async preHandler(request, reply) {
      const payload = payloadOf(request);
      // Apollo says what is wrong with it, and with requests that other sites may have sent.
      if (payload === null) {
        // It reads addresses another way than this server does: what was not understood here is not for it either.
        if (request.method === 'GET') request.raw.url = graphqlPath;
        return;
      }
      const prepared = await guard.prepare(payload, callerOf(request, managementHeader), 'queries');
      if ('errors' in prepared) return refuse(reply, request, prepared);
      letThrough.set(request, prepared);
      nameText(request, payload, prepared.text);
    },
    async handler(request, reply) {
      const body = await answer(request, reply);
      // Apollo refuses what is no request of GraphQL, or may be another site's, before it knows whose it is.
      return reply.statusCode < 400 ? body : withRequestId(body as string, request.id);
    },
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
  { status, errors }: Refusal,
): FastifyReply {
  const isModern = headers.accept?.includes('application/graphql-response+json');
  if (status === 401)
    reply.header('www-authenticate', headers.authorization ? 'Bearer error="invalid_token"' : 'Bearer');
  if (status === 503) reply.header('retry-after', '1');
  return reply
    .code(status)
    .type(isModern ? 'application/graphql-response+json; charset=utf-8' : 'application/json; charset=utf-8')
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
export function nameText(
  request: FastifyRequest,
  { query, extensions, ...payload }: Payload,
  text: string,
): void {
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
