import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError, type GraphQLSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Caller, callerOfSocket } from './caller.ts';
import { type Connections, nameOf } from './connections.ts';
import { transportError } from './errors.ts';
import type { Executor, Request } from './executor.ts';
import type { Guard } from './guard.ts';
import { hasSeveralHosts, otherOrigin, wrongHost } from './origins.ts';
import { graphqlPath } from './queries.ts';
import { releasing } from './releasing.ts';
import { spaced, trackSends } from './socket-events.ts';
import type { UnreadEvents } from './unread.ts';
import type { WaitingSubscriptions } from './waiting-subscriptions.ts';

export interface SocketOptions {
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  readonly waiting: WaitingSubscriptions;
  readonly guard: Guard;
  readonly connections: Connections;
  readonly unread: UnreadEvents;
  readonly isAllowedOrigin: (headers: IncomingMessage['headers']) => boolean;
  readonly managementHeader: string;
  /** How many subscriptions may run on one socket. */
  readonly maxSubscriptions: number;
  readonly log: Logger;
}

const protocolName = 'graphql-transport-ws';
// Of one message, until it is complete. Every fragment and every chunk that is read is an object of its own, and keeps
// the memory that was read with it: 11 MB sent in the smallest pieces took 150 MB. Libraries that send a message in
// fragments do so by 4 KB, and a slow network delivers 500 bytes at a time. The types of ws lack the last two.
const messageLimits = { maxPayload: 64 * 1024, maxFragments: 20, maxBufferedChunks: 256 };
const initTimeoutMs = 3_000;
// A client that does not read what it is sent makes this process keep it: more than this, and it is cut off.
const maxUnreadBytes = 1024 * 1024;
const longestTimerMs = 2 ** 31 - 1;
const closingMs = 1_000;

const closed = { unauthorized: 4401, tooMany: 1013 };

/** A subscription that runs on a socket. */
interface Running {
  end(): void;
}

/** Subscriptions by the graphql-transport-ws protocol, on the graph's own address. Returns how to close them. */
export function serveWebSockets(server: Server, options: SocketOptions): () => Promise<void> {
  const { schema, executor, waiting, guard, connections, unread, managementHeader, maxSubscriptions, log } =
    options;
  const sockets = new WebSocketServer({
    noServer: true,
    // One message of a socket in each round of the event loop: however many are sent, others have their turns.
    allowSynchronousEvents: false,
    ...messageLimits,
  });
  const callers = new WeakMap<WebSocket, Caller>();
  const running = new WeakMap<WebSocket, Set<Running>>();

  const protocol = useServer(
    {
      connectionInitWaitTimeout: initTimeoutMs,
      async onConnect({ connectionParams, extra: { socket, request } }) {
        const caller = await guard.identify(callerOfSocket(connectionParams, request, managementHeader));
        if ('errors' in caller) {
          socket.close(closed.unauthorized, 'Unauthorized');
          return false;
        }
        const release = connections.openFor(caller);
        if (!release) {
          socket.close(closed.tooMany, 'Too many connections of this caller');
          return false;
        }
        whenClosed(socket, release);
        endWithToken(socket, caller);
        callers.set(socket, caller);
        const own = new Set<Running>();
        running.set(socket, own);
        whenClosed(socket, () => {
          for (const { end } of own) end();
        });
        return true;
      },
      async onSubscribe({ extra: { socket } }, _id, payload) {
        const known = { ...(callers.get(socket) as Caller), requestId: randomUUID() };
        if ((running.get(socket)?.size ?? 0) >= maxSubscriptions)
          return [tooManySubscriptions(maxSubscriptions, known.requestId)];
        const caller = await waiting.enter(known, socket);
        if ('errors' in caller) {
          // Clients reconnect after this code; after an error they do not subscribe again.
          if (caller.status === 503) socket.close(closed.tooMany, 'Try again later');
          return caller.errors.map(asGraphqlError);
        }
        const release = () => caller.place.release();
        const request = await guard.prepare(payload, caller, 'subscriptions').finally(release);
        if ('errors' in request) return request.errors;
        const { document, operation } = request;
        return { schema, document, operationName: operation.name?.value, contextValue: { request, socket } };
      },
      async subscribe({ contextValue }) {
        const { request, socket } = contextValue as { request: Request; socket: WebSocket };
        const own = running.get(socket);
        if (!own || own.size >= maxSubscriptions || socket.readyState !== socket.OPEN)
          return { errors: [tooManySubscriptions(maxSubscriptions, request.caller.requestId)] };
        // Counted and ended here: the library loses sight of a subscription whose id is used again too soon.
        const one: Running = { end() {} };
        own.add(one);
        const release = () => void own.delete(one);
        const events = await executor.subscribe(request).catch((error: unknown) => {
          release();
          throw error;
        });
        if (!('next' in events)) {
          release();
          return events;
        }
        one.end = () => void events.return?.();
        if (socket.readyState !== socket.OPEN) one.end();
        const name = nameOf(request.caller);
        const reserve = () => unread.reserve(name, () => socket.terminate());
        return releasing(spaced(events, socket, reserve), release, () => cutOffUnread(socket));
      },
      jsonMessageReviver: refuseWordsOfServers,
      isProd: true,
    },
    sockets,
  );

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without this, a client that resets its connection at the right moment would end the process.
    socket.on('error', () => socket.destroy());
    const refusal = refusalOf(request, options);
    const release = refusal === null ? connections.open('sockets') : null;
    if (!release) {
      answerUpgrade(socket, ...(refusal ?? tooManySockets));
      return;
    }
    socket.once('close', release);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      // Every message and every ping has an answer, which waits where it is not read.
      for (const event of ['message', 'ping']) opened.on(event, () => cutOffUnread(opened));
      trackSends(opened);
      sockets.emit('connection', opened, request);
      // The library would write a client's malformed frames to the console; ws closes the socket by itself.
      opened.removeAllListeners('error').on('error', (err) => log.info({ err }, 'socket failed'));
    });
  });
  // Closes every socket with 1001, "going away".
  return async () => {
    const open = [...sockets.clients];
    // Whether or not the client answers, as it should.
    const timer = setTimeout(() => open.map((socket) => socket.terminate()), closingMs);
    await Promise.resolve(protocol.dispose()).finally(() => clearTimeout(timer));
  };
}

const tooManySubscriptions = (most: number, requestId: string) =>
  refusedFor(`A socket may have ${most} subscriptions. End some, or open another.`, requestId);

const refusedFor = (message: string, requestId: string) =>
  new GraphQLError(message, { extensions: { code: 'OVERLOADED', requestId } });

// The library knows them by their class.
const asGraphqlError = ({ message, extensions }: GraphQLError) => new GraphQLError(message, { extensions });

// The library would take them for a mistake of its own, and write each to the console.
const wordsOfServers = new Set<unknown>(['connection_ack', 'next', 'error']);

function refuseWordsOfServers(key: string, value: unknown): unknown {
  if (key === '' && wordsOfServers.has((value as { type?: unknown } | null)?.type))
    throw new TypeError('This is what a server says.');
  return value;
}

type UpgradeRefusal = readonly [status: string, message: string, code: string];

const tooManySockets: UpgradeRefusal = [
  '503 Service Unavailable',
  'Too many connections are open. Try again later.',
  'OVERLOADED',
];

function refusalOf(request: IncomingMessage, { isAllowedOrigin }: SocketOptions): UpgradeRefusal | null {
  const { url, headers } = request;
  // Node hands over every request with `Upgrade`, and whatever else it asks for can't be answered any more.
  if (request.method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket')
    return [
      '400 Bad Request',
      'Only WebSocket is upgraded to, by GET. Send no header `Upgrade`.',
      'BAD_USER_INPUT',
    ];
  if (hasSeveralHosts(request)) return ['400 Bad Request', wrongHost, 'BAD_USER_INPUT'];
  if (url?.split('?')[0] !== graphqlPath)
    return ['404 Not Found', `Nothing is served here. The graph is at ${graphqlPath}.`, 'BAD_USER_INPUT'];
  if (!isAllowedOrigin(headers)) return ['403 Forbidden', otherOrigin, 'FORBIDDEN'];
  // Who offers none is let in, and told 4406; who offers others would give up on an answer that names none.
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  if (offered && !offered.includes(protocolName))
    return ['400 Bad Request', `Offer the subprotocol ${protocolName}.`, 'BAD_USER_INPUT'];
  return null;
}

function answerUpgrade(socket: Duplex, status: string, message: string, code: string): void {
  const body = JSON.stringify(transportError(message, code, randomUUID()));
  const headers = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    ...(code === 'OVERLOADED' ? ['retry-after: 1'] : []),
    'connection: close',
  ];
  // A client that leaves its own side open would keep the connection.
  socket.once('finish', () => socket.destroy());
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`);
}

function cutOffUnread(socket: WebSocket): void {
  if (socket.bufferedAmount > maxUnreadBytes) socket.terminate();
}

function whenClosed(socket: WebSocket, act: () => void): void {
  if (socket.readyState === socket.OPEN) socket.once('close', act);
  else act();
}

/** Nothing is told to who no longer has a good token. */
function endWithToken(socket: WebSocket, { verified }: Caller): void {
  if (!verified) return;
  const leftMs = Math.min(Math.max(verified.expiresAt - Date.now(), 0), longestTimerMs);
  const timer = setTimeout(() => {
    socket.close(closed.unauthorized, 'The token has ended');
    // Whether or not the client answers, as it should.
    setTimeout(() => socket.terminate(), closingMs).unref();
  }, leftMs);
  whenClosed(socket, () => clearTimeout(timer));
}
