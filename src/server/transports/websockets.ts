import { type IncomingHttpHeaders, IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { createAsyncIterator, onFinish, scheduleAt } from '../../runtime/async-iterators.ts';
import { type Caller, type CallerReader, createRequestIds } from '../caller.ts';
import { keyOfPeer } from '../caller-tokens.ts';
import type { Executor } from '../execution/executor.ts';
import type { GraphqlRequest, Guard } from '../guard/guard.ts';
import type { SubscriptionQueue } from '../load/admission.ts';
import { type ConnectionLimiter, getConnectionKey } from '../load/connection-limits.ts';
import type { UnreadEvent, UnreadEventLimiter } from '../load/unread-bytes.ts';
import { graphqlPath } from '../paths.ts';
import { endWithRejection } from '../rejection.ts';
import { maxRequestBytes } from './http-request.ts';
import { hasOneHost, invalidHost, originNotAllowed } from './origins.ts';

export interface SocketLimits {
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

// Limits of an incomplete message. Each fragment and chunk is an object that keeps its read buffer alive: 11 MB in the
// smallest pieces took 150 MB. Client libraries use fragments of 4 KB, and slow networks deliver about 500 bytes at a
// time. The types of ws lack the last two options.
const messageLimits = { maxPayload: maxRequestBytes, maxFragments: 20, maxBufferedChunks: 256 };
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
    // A host server may serve other WebSockets, too.
    if (!isGraphqlPath(request) && server.listenerCount('upgrade') > 1) return;
    const rejection = checkUpgrade(request, isAllowedOrigin);
    const release =
      rejection === null
        ? connections.acquire('sockets', keyOfPeer(request.socket.remoteAddress ?? ''))
        : null;
    if (!release) {
      endWithRejection(socket, ...(rejection ?? tooManySockets));
      return;
    }
    socket.once('close', release);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      // Messages and pings cause replies, which accumulate if the client does not read.
      for (const event of ['message', 'ping']) opened.on(event, () => terminateIfUnread(opened));
      trackSends(opened);
      explainTooLongMessages(opened);
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
        const rejection = session.findRejection(sender.requestId);
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
        const rejection = session?.findRejection(caller.requestId);
        if (!session || rejection || socket.readyState !== socket.OPEN)
          return {
            errors: [rejection ?? tooManySubscriptions(limits.maxSubscriptions, caller.requestId)],
          };
        const key = getConnectionKey(caller);
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

/** Adds a reason to the close frame that ws sends without one. */
function explainTooLongMessages(socket: WebSocket): void {
  const close = socket.close.bind(socket);
  socket.close = (code, reason) => close(code, code === 1009 ? messageTooLong : reason);
}

const messageTooLong = `The message has more than ${maxRequestBytes} bytes`;

// graphql-ws requires instances of `GraphQLError`.
const toErrorInstance = ({ message, extensions }: GraphQLError) => new GraphQLError(message, { extensions });

// If a client sends one of these, graphql-ws would treat it as a bug of its own and print it to the console.
const serverMessageTypes = new Set<unknown>(['connection_ack', 'next', 'error']);

function rejectServerMessages(key: string, value: unknown): unknown {
  if (key === '' && serverMessageTypes.has((value as { type?: unknown } | null)?.type))
    throw new TypeError('Only servers send messages of this type.');
  return value;
}

/** WebSocket close codes: 4401 of graphql-transport-ws, 1013 (try again later) of the IANA registry. */
const closeCodes = { unauthorized: 4401, tooMany: 1013 };
const closeTimeoutMs = 1_000;

// Above this many unsent bytes, a client that does not read is disconnected.
const maxUnreadBytes = 1024 * 1024;

type Events = AsyncIterableIterator<ExecutionResult>;

/** A WebSocket whose caller is identified, with its starting and running subscriptions. */
class SocketSession {
  readonly caller: Caller;
  readonly #socket: WebSocket;
  readonly #maxSubscriptions: number;
  readonly #subscriptions = new Set<{ unsubscribe(): void }>();

  constructor(socket: WebSocket, caller: Caller, maxSubscriptions: number) {
    this.caller = caller;
    this.#socket = socket;
    this.#maxSubscriptions = maxSubscriptions;
    closeWhenTokenExpires(socket, caller);
    onSocketClosed(socket, () => {
      for (const { unsubscribe } of this.#subscriptions) unsubscribe();
    });
  }

  /** Returns why another subscription may not start; null if it may. */
  findRejection(requestId: string): GraphQLError | null {
    if (this.#subscriptions.size < this.#maxSubscriptions) return null;
    return tooManySubscriptions(this.#maxSubscriptions, requestId);
  }

  /** Starts a subscription. `limit` is applied to its events. */
  async start(
    subscribe: () => Promise<Events | ExecutionResult>,
    limit: (events: Events) => Events,
  ): Promise<Events | ExecutionResult> {
    // Tracked here because graphql-ws loses a subscription whose id is reused too early.
    const subscription = { unsubscribe() {} };
    this.#subscriptions.add(subscription);
    const remove = () => void this.#subscriptions.delete(subscription);
    const events = await subscribe().catch((error: unknown) => {
      remove();
      throw error;
    });
    if (!('next' in events)) {
      remove();
      return events;
    }
    subscription.unsubscribe = () => void events.return?.();
    if (this.#socket.readyState !== this.#socket.OPEN) subscription.unsubscribe();
    return onFinish(limit(events), remove, () => terminateIfUnread(this.#socket));
  }
}

const tooManySubscriptions = (maxSubscriptions: number, requestId: string) =>
  new GraphQLError(`A WebSocket may have ${maxSubscriptions} subscriptions. End some, or open another.`, {
    extensions: { code: 'OVERLOADED', requestId },
  });

function terminateIfUnread(socket: WebSocket): void {
  if (socket.bufferedAmount > maxUnreadBytes) socket.terminate();
}

function onSocketClosed(socket: WebSocket, act: () => void): void {
  if (socket.readyState === socket.OPEN) socket.once('close', act);
  else act();
}

function closeWhenTokenExpires(socket: WebSocket, { verified }: Caller): void {
  if (!verified) return;
  const cancel = scheduleAt(verified.expiresAt, () => {
    socket.close(closeCodes.unauthorized, 'The token has expired');
    // For clients that do not complete the closing handshake.
    setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
  });
  onSocketClosed(socket, cancel);
}

// Reservations of the events that will be sent next: graphql-ws sends an event before anything else on its socket.
const reservedEvents = new WeakMap<WebSocket, UnreadEvent[]>();

/** Counts the events sent on a socket until the client has received them. */
function trackSends(socket: WebSocket): void {
  const send = socket.send.bind(socket) as (data: string, sent: () => void) => void;
  const waiting: UnreadEvent[] = [];
  reservedEvents.set(socket, waiting);
  socket.send = (data: unknown, sent?: unknown) => {
    const event = waiting.shift();
    event?.setSize(Buffer.byteLength(data as string));
    send(data as string, () => {
      event?.release();
      // Drops the error, which graphql-ws would print to the console. The socket's `close` event is enough.
      if (typeof sent === 'function') sent();
    });
  };
}

/** Delays each event until its memory can be reserved. graphql-ws requests the next event when the last is sent. */
function reserveBeforeSend(
  events: AsyncIterableIterator<ExecutionResult>,
  socket: WebSocket,
  reserve: () => UnreadEvent | Promise<UnreadEvent>,
): AsyncIterableIterator<ExecutionResult> {
  return createAsyncIterator(
    async () => {
      const result = await events.next();
      if (result.done || socket.readyState !== socket.OPEN) return result;
      const event = await reserve();
      const waiting = reservedEvents.get(socket);
      waiting?.push(event);
      // Release the reservation if the event is not sent because its subscription has ended.
      setImmediate(() => {
        const at = waiting?.indexOf(event) ?? -1;
        if (at < 0) return;
        waiting?.splice(at, 1);
        event.release();
      });
      return result;
    },
    () => events.return?.(),
  );
}

const subprotocol = 'graphql-transport-ws';

export type UpgradeRejection = readonly [status: string, message: string, code: string];

const tooManySockets: UpgradeRejection = [
  '503 Service Unavailable',
  'Too many connections are open. Try again later.',
  'OVERLOADED',
];

/**
 * Accepts an upgrade only to WebSocket and only by GET. Any other one, such as `h2c` of Java's HTTP client, is ignored
 * (RFC 9110 §7.8), whereas Node.js would take the connection from HTTP. Node.js sets `upgrade` before it knows the
 * headers and reads it afterwards; Node.js 24 has `shouldUpgradeCallback` for this.
 */
export class UpgradableRequest extends IncomingMessage {
  declare isUpgradeParsed: boolean | null;

  set upgrade(isParsed: boolean | null) {
    this.isUpgradeParsed = isParsed;
  }

  get upgrade(): boolean | null {
    const isWebSocket = this.method === 'GET' && this.headers.upgrade?.toLowerCase() === 'websocket';
    return this.isUpgradeParsed && (isWebSocket || this.method === 'CONNECT');
  }
}

const isGraphqlPath = ({ url }: IncomingMessage): boolean => url?.split('?')[0] === graphqlPath;

/** Returns why a request cannot be upgraded to WebSocket; null if it can. */
function checkUpgrade(
  request: IncomingMessage,
  isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean,
): UpgradeRejection | null {
  const { headers } = request;
  if (!hasOneHost(request)) return ['400 Bad Request', invalidHost, 'BAD_USER_INPUT'];
  if (!isGraphqlPath(request))
    return ['404 Not Found', `Not found. The GraphQL endpoint is ${graphqlPath}.`, 'BAD_USER_INPUT'];
  if (!isAllowedOrigin(headers)) return ['403 Forbidden', originNotAllowed, 'FORBIDDEN'];
  // A client that offers no subprotocol is accepted and then closed with 4406. Browsers fail on a response that selects
  // none of the offered ones.
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  if (offered && !offered.includes(subprotocol))
    return [
      '400 Bad Request',
      `The WebSocket subprotocol is not supported. Offer ${subprotocol}.`,
      'BAD_USER_INPUT',
    ];
  return null;
}
