import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { transportError } from './errors.ts';
import { consolePath, explorerPath, graphqlPath, mcpPath, streamPath } from './paths.ts';

const methodHints: Readonly<Record<string, string>> = {
  [graphqlPath]: 'Send queries and mutations by POST.',
  [streamPath]: 'Send queries and mutations by POST.',
  [mcpPath]: 'This server has no sessions (MCP). Send messages by POST.',
};

/** What is not served at its path where a setting turns it off. */
const optional: Readonly<Record<string, string>> = {
  [mcpPath]: 'MCP is off (setting MCP)',
  [consolePath]: 'The console is off (setting CONSOLE)',
  [explorerPath]: 'The explorer is off (setting EXPLORER)',
};

/** Rejects requests that no route serves, before their bodies are read. Call before routes are registered. */
export function rejectUnmatchedRequests(app: FastifyInstance): void {
  /** By the path of each route, or by what precedes its `*`. */
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const each of [method].flat()) known.add(each);
    methods.set(url, known);
  });
  const methodsOf = (path: string): ReadonlySet<string> | undefined =>
    methods.get(path) ??
    [...methods].find(([url]) => url.endsWith('*') && path.startsWith(url.slice(0, -1)))?.[1];

  const reject = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] ?? '';
    const send = (status: number, message: string) =>
      reply.code(status).send(transportError(message, 'BAD_USER_INPUT', request.id));
    const allowed = methodsOf(path);
    if (allowed) {
      const allow = [...allowed].join(', ');
      reply.header('allow', allow);
      return send(405, `The method is not supported. ${methodHints[path] ?? `This path takes ${allow}.`}`);
    }
    const shorter = path.replace(/\/$/, '');
    if (methods.has(shorter))
      return send(404, `Not found. The path is ${shorter}, without a slash at its end.`);
    const known = Object.hasOwn(optional, path) ? `${optional[path]}. ` : '';
    return send(404, `Not found. ${known}The GraphQL endpoint is ${graphqlPath}.`);
  };
  app.setNotFoundHandler(reject);
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    reject(request, reply);
  });
}
