import type { IncomingHttpHeaders } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { getIntrospectedSchema } from '../../../graph/introspection.ts';
import type { CallerReader } from '../../caller.ts';
import { transportError } from '../../errors.ts';
import type { Executor } from '../../execution/executor.ts';
import type { Responder } from '../../execution/responder.ts';
import type { Documents } from '../../guard/documents.ts';
import type { Guard } from '../../guard/guard.ts';
import type { Admission } from '../../load/admission.ts';
import type { ConnectionLimiter } from '../../load/connection-limits.ts';
import { holdSlot, onResponseClosed } from '../../load/request-slots.ts';
import { mcpPath } from '../../paths.ts';
import { isLocalHost, originNotAllowed } from '../origins.ts';
import { invalidTimeout, readTimeout } from '../query-deadline.ts';
import { sendRejection } from '../send-rejection.ts';
import { sendFailure, tooManyConnections } from '../stream-rejections.ts';
import { createToolCalls, type McpExchange, runQueryName, searchSchemaName } from './call-tool.ts';
import { sendWebResponse, toWebRequest } from './exchanges.ts';
import { createMcpServer, runQueryTool, searchSchemaTool } from './mcp-server.ts';
import { createOperationFollower } from './operation-progress.ts';
import { challengeParameters, type ProtectedResource, serveProtectedResource } from './protected-resource.ts';
import { createSchemaSearch } from './schema-search.ts';
import { createTools } from './tools.ts';

/** What the settings say of MCP. */
export interface McpOptions {
  /** Trusts the documents of the manifest, and others where `runsQueries`. */
  readonly guard: Guard;
  /** Texts of the trusted documents by id. */
  readonly manifest: Readonly<Record<string, string>>;
  /** Whether callers may send queries of their own. */
  readonly runsQueries: boolean;
  readonly searchesSchema: boolean;
  /** Null if callers are not verified; only local ones are accepted then. */
  readonly protectedResource: ProtectedResource | null;
}

export interface McpPipeline {
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly executor: Executor;
  readonly responder: Responder;
  readonly admission: Admission;
  readonly connections: ConnectionLimiter;
  readonly callers: CallerReader;
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  readonly requestTimeoutMs: number;
  readonly log: Logger;
}

export interface McpTransport {
  /** Ends event streams. Tools whose progress is reported answer first. */
  endStreams(): void;
  close(): Promise<void>;
}

/** Serves the Model Context Protocol over Streamable HTTP, without sessions: each POST is one message. */
export async function serveMcp(
  app: FastifyInstance,
  options: McpOptions,
  pipeline: McpPipeline,
): Promise<McpTransport> {
  const { guard, runsQueries, protectedResource } = options;
  const { schema, documents, admission, connections, callers, isAllowedOrigin, requestTimeoutMs, log } =
    pipeline;
  const reserved = [searchSchemaName, runQueryName];
  const tools = await createTools({ schema, documents, manifest: options.manifest, reserved, log });
  const follower = createOperationFollower({ ...pipeline, guard, followMs: requestTimeoutMs });
  const searchSchema = options.searchesSchema ? createSchemaSearch(getIntrospectedSchema(schema)) : null;
  const callTool = createToolCalls({ ...pipeline, tools, guard, follower, searchSchema, runsQueries });
  const listed = [
    ...[...tools.values()].map(({ text: _text, handlePath: _path, ...tool }) => tool),
    ...(searchSchema ? [searchSchemaTool] : []),
    ...(runsQueries ? [runQueryTool] : []),
  ];
  /** Subscribers to changes of tools. Tools never change, so they are sent nothing but an acknowledgement. */
  const listening = new Set<AbortController>();
  const exchanges = new WeakMap<Request, McpExchange>();
  const createServer = (request: Request) =>
    createMcpServer(listed, callTool, exchanges.get(request) as McpExchange);
  const handler = createMcpHandler(({ requestInfo }) => createServer(requestInfo as Request), {
    legacy: 'reject',
    // They count as event streams instead.
    maxSubscriptions: Number.POSITIVE_INFINITY,
    onerror: (err) => log.debug({ err }, 'MCP request not served.'),
  });

  /** Whether the call may report progress, which takes an event stream. */
  const mayProgress = (body: unknown): boolean => {
    const { params } = body as { params?: { name?: unknown; _meta?: { progressToken?: unknown } } | null };
    const isWanted = params?._meta?.progressToken !== undefined;
    return isWanted && typeof params?.name === 'string' && tools.get(params.name)?.handlePath != null;
  };

  /** Serves clients of the revisions before 2026-07-28, which begin with `initialize`. */
  const serveLegacy = async (request: Request, body: unknown): Promise<Response> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !mayProgress(body),
    });
    const server = createServer(request);
    await server.connect(transport);
    request.signal.addEventListener('abort', () => void server.close().catch(() => {}), { once: true });
    return transport.handleRequest(request, { parsedBody: body });
  };

  const challengeFor = ({ host }: IncomingHttpHeaders) =>
    protectedResource ? challengeParameters(protectedResource, host) : undefined;

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { body, headers } = request;
    if (!isAllowedOrigin(headers) || (protectedResource === null && !isLocalHost(headers)))
      return reply.code(403).send(transportError(originNotAllowed, 'FORBIDDEN', request.id));
    const timeoutMs = readTimeout(request, requestTimeoutMs);
    if (timeoutMs === null || !isMessage(body)) {
      const message = timeoutMs === null ? invalidTimeout : notOneMessage;
      return reply.code(400).send(transportError(message, 'BAD_USER_INPUT', request.id));
    }
    const caller = await admission.admit(callers.fromRequest(request));
    if ('errors' in caller) return sendRejection(reply, request, caller, challengeFor(headers));
    holdSlot(reply.raw, caller.slot);
    const closed = new AbortController();
    onResponseClosed(reply.raw, () => closed.abort());
    if (isListening(body)) {
      const release = connections.acquireBoth('eventStreams', caller);
      if (!release) return sendFailure(tooManyConnections, request, reply.header('retry-after', '1'));
      onResponseClosed(reply.raw, release);
      caller.slot.release();
      listening.add(closed);
      onResponseClosed(reply.raw, () => listening.delete(closed));
    }
    const webRequest = toWebRequest(request, closed.signal);
    const exchange: McpExchange = { caller, request, reply, timeoutMs, signal: closed.signal };
    exchanges.set(webRequest, exchange);
    const response = (await isLegacyRequest(webRequest, body))
      ? serveLegacy(webRequest, body)
      : handler.fetch(webRequest, { parsedBody: body });
    // The SDK may never respond to a client that has disconnected.
    const sent = await Promise.race([response, hasClosed(closed.signal)]);
    if (sent === null) reply.hijack();
    else await sendWebResponse(sent, reply);
    // Holds the slot until the call is over.
    await exchange.running?.catch(() => {});
    return reply;
  };

  app.route({ method: 'POST', url: mcpPath, handler: handle });
  app.route({
    method: ['GET', 'DELETE'],
    exposeHeadRoute: false,
    url: mcpPath,
    handler: (request, reply) =>
      reply
        .code(405)
        .header('allow', 'POST')
        .send(transportError(postOnly, 'BAD_USER_INPUT', request.id)),
  });
  if (protectedResource) serveProtectedResource(app, protectedResource);
  return {
    endStreams() {
      follower.close();
      for (const closing of listening) closing.abort();
    },
    close: handler.close,
  };
}

const hasClosed = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });

const isListening = (body: unknown): boolean =>
  (body as { method?: unknown }).method === 'subscriptions/listen';

const isMessage = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Array.isArray(body);
const postOnly = 'This server has no sessions (MCP). Send messages by POST.';
const notOneMessage = 'The body must be one JSON-RPC message. Batches are not supported.';
