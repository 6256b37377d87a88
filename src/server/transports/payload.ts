import type { FastifyRequest } from 'fastify';
import type { GraphqlPayload } from '../guard/guard.ts';

/** Returns the GraphQL parameters of a request; null if it is not a GraphQL-over-HTTP request. */
export function readPayload({ method, body, query }: FastifyRequest): GraphqlPayload | null {
  const given = (method === 'GET' ? query : body) as Record<string, unknown> | null | undefined;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null;
  if (method !== 'GET') return given;
  const { variables, extensions, ...rest } = given;
  return {
    ...rest,
    ...(variables !== undefined && { variables: parseParameter(variables) }),
    ...(extensions !== undefined && { extensions: parseParameter(extensions) }),
  };
}

/** Returns text that is not JSON as it is: the guard rejects whatever is not an object. */
function parseParameter(parameter: unknown): unknown {
  const text = String(parameter);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Replaces the request's body or URL by what the guard accepted. Apollo supports documents only by text, and
 * parses URLs differently, so it could otherwise execute another request.
 */
export function replacePayload(
  request: FastifyRequest,
  { query, extensions, ...payload }: GraphqlPayload,
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
