import type { IncomingHttpHeaders } from 'node:http';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
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
import { scopeParameter, sendRejection } from '../send-rejection.ts';
import { sendFailure, tooManyConnections } from '../stream-rejections.ts';
import type { McpExchange } from './call-tool.ts';
import { sendWebResponse, toWebRequest } from './exchanges.ts';
import { hasLongId, rejectInvalidParams } from './invalid-params.ts';
import { createMcpServer } from './mcp-server.ts';
import { createOperationFollower } from './operation-progress.ts';
import { type ProtectedResource, resourceParameter, serveProtectedResource } from './protected-resource.ts';
import type { OperationTool } from './tools.ts';
import { createToolset, type ToolSettings } from './toolset.ts';

/** What the settings say of MCP. */
export interface McpOptions {
  /** Trusts the documents of the manifest, and others where `runsQueries`. */
  readonly guard: Guard;
  readonly tools: ToolSettings;
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
  const { guard, searchesSchema, protectedResource } = options;
  const { admission, connections, callers, isAllowedOrigin, requestTimeoutMs, log } = pipeline;
  const follower = createOperationFollower({ ...pipeline, guard, followMs: requestTimeoutMs });
  const toolset = await createToolset({
    ...pipeline,
    guard,
    follower,
    settings: options.tools,
    searchesSchema,
  });
  /** Subscribers to changes of tools. */
  const listening = new Set<AbortController>();
  const exchanges = new WeakMap<Request, McpExchange>();
  const createServer = (request: Request, listChanged: boolean) => {
    const { findToolPage, callTool } = toolset;
    return createMcpServer({ findToolPage, callTool, listChanged }, exchanges.get(request) as McpExchange);
  };
  const handler = createMcpHandler(({ requestInfo }) => createServer(requestInfo as Request, true), {
    legacy: 'reject',
    // They count as event streams instead.
    maxSubscriptions: Number.POSITIVE_INFINITY,
    onerror: (err) => log.debug({ err }, 'MCP request not served.'),
  });

  /** The tool that a message calls. */
  const toolOf = (body: unknown): OperationTool | undefined => {
    const { method, params } = body as { method?: unknown; params?: { name?: unknown } | null };
    return method === 'tools/call' ? toolset.tools.get(params?.name as string) : undefined;
  };

  /** Whether the call may report progress, which takes an event stream. */
  const mayProgress = (body: unknown): boolean => {
    const { params } = body as { params?: { _meta?: { progressToken?: unknown } } | null };
    return params?._meta?.progressToken !== undefined && toolOf(body)?.handlePath != null;
  };

  /** Serves clients of the revisions before 2026-07-28, which begin with `initialize`. */
  const serveLegacy = async (request: Request, body: unknown): Promise<Response> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !mayProgress(body),
    });
    // Without a session there is no stream for notifications.
    const server = createServer(request, false);
    await server.connect(transport);
    request.signal.addEventListener('abort', () => void server.close().catch(() => {}), { once: true });
    return transport.handleRequest(request, { parsedBody: body });
  };

  const challengeFor = ({ host }: IncomingHttpHeaders): readonly string[] =>
    protectedResource ? [resourceParameter(protectedResource, host)] : [];

  const handle = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { body, headers } = request;
    if (!isAllowedOrigin(headers) || (protectedResource === null && !isLocalHost(headers)))
      return reply.code(403).send(transportError(originNotAllowed, 'FORBIDDEN', request.id));
    const timeoutMs = readTimeout(request, requestTimeoutMs);
    const message = timeoutMs === null ? invalidTimeout : checkMessage(request);
    if (timeoutMs === null || message !== null)
      return reply.code(400).send(transportError(message ?? invalidTimeout, 'BAD_USER_INPUT', request.id));
    const tool = toolOf(body);
    const caller = await admission.admit(callers.fromRequest(request));
    if ('errors' in caller) {
      const scopes = caller.status === 401 && tool?.scopes.length ? [scopeParameter(tool.scopes)] : [];
      return sendRejection(reply, request, caller, [...scopes, ...challengeFor(headers)]);
    }
    holdSlot(reply.raw, caller.slot);
    const forbidden = tool && guard.checkScopes(tool.scopes, caller, `the tool ${tool.name}`);
    if (forbidden) return sendRejection(reply, request, forbidden, challengeFor(headers));
    const invalid = await rejectInvalidParams(body);
    if (invalid) return reply.send(invalid);
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

/** Returns why a body is no message; null if it is one. */
function checkMessage({ body, textBeforeQuoting }: FastifyRequest): string | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return notOneMessage;
  return textBeforeQuoting !== null && hasLongId(textBeforeQuoting) ? longId : null;
}

const notOneMessage =
  'Send one JSON-RPC message, with `content-type: application/json`. Batches are not supported.';
const longId = `The id or the progress token is a number that JSON cannot keep exactly. Send a string, or a number of at most ${Number.MAX_SAFE_INTEGER}.`;
