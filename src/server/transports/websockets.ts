import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { type CallerReader, createRequestIds } from '../caller.ts';
import { keyOfPeer } from '../caller-key.ts';
import type { Executor } from '../execution/executor.ts';
import type { Guard } from '../guard/guard.ts';
import { type ConnectionLimiter, connectionKeyOf } from '../load/connection-limits.ts';
import type { SubscriptionQueue } from '../load/subscription-queue.ts';
import type { UnreadEventLimiter } from '../load/unread-events.ts';
import type { GraphqlRequest } from '../request.ts';
import {
  closeCodes,
  closeTimeoutMs,
  onSocketClosed,
  SocketSession,
  terminateIfUnread,
  tooManySubscriptions,
} from './socket-session.ts';
import { reserveBeforeSend, trackSends } from './websocket-events.ts';
import { checkUpgrade, rejectUpgrade, tooManySockets } from './websocket-upgrade.ts';

export interface SocketLimits {
  /** Maximum number of subscriptions on one socket. */
  readonly maxSubscriptions: number;
}

export interface WebSocketOptions {
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  readonly subscriptionQueue: SubscriptionQueue;
  readonly guard: Guard;
  readonly connections: ConnectionLimiter;
  readonly unread: UnreadEventLimiter;
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  readonly callers: CallerReader;
  readonly limits: SocketLimits;
  readonly log: Logger;
}

// Limits of one message while it is incomplete. Every fragment and chunk is a separate object that keeps its
// read buffer alive: 11 MB sent in the smallest pieces took 150 MB. Client libraries use fragments of 4 KB,
// and slow networks deliver about 500 bytes at a time. The types of ws lack the last two options.
const messageLimits = { maxPayload: 64 * 1024, maxFragments: 20, maxBufferedChunks: 256 };
const initTimeoutMs = 3_000;

/** Serves subscriptions over WebSocket with the graphql-transport-ws protocol. Returns a function that closes them. */
export function serveWebSockets(server: Server, options: WebSocketOptions): () => Promise<void> {
  const { connections, isAllowedOrigin, log } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    // One message per event-loop turn, so that a flood on one socket does not block others.
    allowSynchronousEvents: false,
    ...messageLimits,
  });
  const protocol = serveProtocol(sockets, options);

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // An unhandled `error` event, such as a connection reset, would end the process.
    socket.on('error', () => socket.destroy());
    const rejection = checkUpgrade(request, isAllowedOrigin);
    const release =
      rejection === null
        ? connections.acquire('sockets', keyOfPeer(request.socket.remoteAddress ?? ''))
        : null;
    if (!release) {
      rejectUpgrade(socket, ...(rejection ?? tooManySockets));
      return;
    }
    socket.once('close', release);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      // Messages and pings cause replies, which pile up if the client does not read.
      for (const event of ['message', 'ping']) opened.on(event, () => terminateIfUnread(opened));
      trackSends(opened);
      sockets.emit('connection', opened, request);
      // ws closes the socket itself on malformed frames; graphql-ws would print them to the console.
      opened
        .removeAllListeners('error')
        .on('error', ({ message }) => log.info({ reason: message }, 'WebSocket closed by an error.'));
    });
  });
  // Closes every socket with 1001 (going away).
  return async () => {
    const open = [...sockets.clients];
    // For clients that do not complete the closing handshake.
    const timer = setTimeout(() => open.map((socket) => socket.terminate()), closeTimeoutMs);
    await Promise.resolve(protocol.dispose()).finally(() => clearTimeout(timer));
  };
}

function serveProtocol(sockets: WebSocketServer, options: WebSocketOptions) {
  const { schema, executor, subscriptionQueue, guard, connections, unread, limits } = options;
  // By socket, from `connection_init` on.
  const sessions = new WeakMap<WebSocket, SocketSession>();

  return useServer(
    {
      connectionInitWaitTimeout: initTimeoutMs,
      async onConnect({ connectionParams, extra: { socket, request } }) {
        const sender = options.callers.fromSocket(connectionParams, request);
        const caller = await guard.identify(sender);
        if ('errors' in caller) {
          socket.close(closeCodes.unauthorized, 'Unauthorized');
          return false;
        }
        const release = connections.acquireForCaller(caller);
        if (!release) {
          socket.close(closeCodes.tooMany, 'Too many connections of this caller');
          return false;
        }
        onSocketClosed(socket, release);
        sessions.set(socket, new SocketSession(socket, caller, limits.maxSubscriptions));
        return true;
      },
      async onSubscribe({ extra: { socket } }, _id, payload) {
        const session = sessions.get(socket) as SocketSession;
        const sender = { ...session.caller, ...createRequestIds() };
        const rejection = session.rejection(sender.requestId);
        if (rejection) return [rejection];
        const caller = await subscriptionQueue.admit(sender, socket);
        if ('errors' in caller) {
          // Clients reconnect after this close code, but do not resubscribe after an error.
          if (caller.status === 503) socket.close(closeCodes.tooMany, 'Try again later');
          return caller.errors.map(toErrorInstance);
        }
        const release = () => caller.slot.release();
        const request = await guard.prepare(payload, caller, 'subscriptions').finally(release);
        if ('errors' in request) return request.errors;
        const { document, operation } = request;
        return { schema, document, operationName: operation.name?.value, contextValue: { request, socket } };
      },
      subscribe({ contextValue }) {
        const { request, socket } = contextValue as { request: GraphqlRequest; socket: WebSocket };
        const { caller } = request;
        const session = sessions.get(socket);
        const rejection = session?.rejection(caller.requestId);
        if (!session || rejection || socket.readyState !== socket.OPEN)
          return {
            errors: [rejection ?? tooManySubscriptions(limits.maxSubscriptions, caller.requestId)],
          };
        const key = connectionKeyOf(caller);
        const reserve = () => unread.reserve(key, () => socket.terminate());
        return session.start(
          () => executor.subscribe(request),
          (events) => reserveBeforeSend(events, socket, reserve),
        );
      },
      jsonMessageReviver: rejectServerMessages,
      isProd: true,
    },
    sockets,
  );
}

// graphql-ws requires instances of `GraphQLError`.
const toErrorInstance = ({ message, extensions }: GraphQLError) => new GraphQLError(message, { extensions });

// graphql-ws would treat these as its own bug, and print each to the console.
const serverMessageTypes = new Set<unknown>(['connection_ack', 'next', 'error']);

function rejectServerMessages(key: string, value: unknown): unknown {
  if (key === '' && serverMessageTypes.has((value as { type?: unknown } | null)?.type))
    throw new TypeError('Only servers send messages of this type.');
  return value;
}
