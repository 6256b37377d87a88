import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** The open connections of HTTP servers, with one request at a time on each, and graceful shutdown. */
export interface Connections {
  /** Registers a server before it listens. Fastify creates one for each address of a host. */
  trackServer(server: Server): Server;
  /**
   * Handles one request at a time on a connection. Responses are sent in the order of the requests (RFC 9112 §9.3.2),
   * so a pipelined request would hold its slot until the earlier ones are answered. Closes the connection if a request
   * would wait behind a stream, behind 16 others, or with a long body.
   */
  oneAtATime(handle: RequestListener): RequestListener;
  isDraining(): boolean;
  /** Ends streams, lets requests finish, and resolves when all connections are closed. */
  stopServers(closeWebSockets: () => Promise<void>): Promise<void>;
}

export interface DrainOptions {
  /** How long new requests are accepted after the drain has begun, so that load balancers can notice it. */
  readonly delayMs: number;
  /** How long requests in flight may take after the delay. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

interface Connection {
  current: ServerResponse | null;
  /** Pipelined requests, which hold no slot. */
  readonly waiting: (() => void)[];
  /** Whether the current response is a stream, which has no foreseeable end. */
  isStream: boolean;
  /** Whether streams are rejected, because the process is ending its streams. */
  rejectsStreams: boolean;
  /** Whether to close the connection after the current response. */
  isLast: boolean;
}

// No common HTTP client pipelines more requests; a proxy sends them again on another connection.
const maxWaiting = 16;
// With this much of a body unread, Node.js stops reading and no longer notices that the client has disconnected.
const maxWaitingBodyBytes = 16 * 1024;
// Time for requests that are partly received when the last response is sent.
const lingerMs = 1_000;

// A symbol property is faster than a map of sockets.
const connectionKey = Symbol('connection');
type TrackedSocket = Socket & { [connectionKey]?: Connection };

const findConnection = (socket: Socket): Connection | undefined => (socket as TrackedSocket)[connectionKey];

export function createConnections({ delayMs, timeoutMs, log }: DrainOptions): Connections {
  const servers: Server[] = [];
  const open = new Map<Socket, Connection>();
  let isDraining = false;
  let onIdle = () => {};

  const isIdle = () => ![...open.values()].some(({ current }) => current?.req.complete);
  const checkIdle = () => {
    if (isDraining && isIdle()) onIdle();
  };
  const trackConnection = (socket: Socket) => {
    const connection: Connection = {
      current: null,
      waiting: [],
      isStream: false,
      rejectsStreams: false,
      isLast: false,
    };
    (socket as TrackedSocket)[connectionKey] = connection;
    open.set(socket, connection);
    socket.once('close', () => {
      open.delete(socket);
      checkIdle();
    });
  };

  const endStreams = () => {
    for (const connection of open.values()) {
      connection.rejectsStreams = true;
      if (!connection.isStream || !connection.current) continue;
      // No `complete` event: it would tell the client not to reconnect.
      if (connection.current.headersSent) connection.current.on('error', () => {}).end();
      else connection.current.destroy();
    }
  };
  const waitUntilIdle = () =>
    new Promise<void>((resolve) => {
      onIdle = resolve;
      checkIdle();
    });
  const closeWhenIdle = async (closed: Promise<unknown>) => {
    do {
      await waitUntilIdle();
      for (const server of servers) server.closeIdleConnections();
      await Promise.race([closed, sleep(lingerMs)]);
    } while (!isIdle());
  };

  return {
    isDraining: () => isDraining,

    trackServer(server) {
      servers.push(server);
      return server.on('connection', trackConnection);
    },

    oneAtATime: (handle) => (request, response) => {
      const { socket } = request;
      const connection = findConnection(socket) as Connection;
      const start = () => {
        if (isDraining) response.shouldKeepAlive = false;
        connection.current = response;
        connection.isStream = false;
        response.once('close', () => {
          connection.current = null;
          if (connection.isLast) socket.destroy();
          // After a response with `connection: close`, no further request is handled.
          if (socket.writable) connection.waiting.shift()?.();
          checkIdle();
        });
        handle(request, response);
      };
      if (connection.current === null) start();
      else if (connection.isStream || connection.waiting.length === maxWaiting || hasLongBody(request))
        socket.destroy();
      else connection.waiting.push(start);
    },

    async stopServers(closeWebSockets) {
      isDraining = true;
      // `connection: close` makes clients open a new connection. Closing an idle connection could race with a request.
      for (const { current } of open.values())
        if (current && !current.headersSent) current.shouldKeepAlive = false;
      await sleep(delayMs);
      const closed = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      endStreams();
      const timeout = new AbortController();
      const timedOut = sleep(timeoutMs, true, { signal: timeout.signal }).catch(() => false);
      const isTimedOut = await Promise.race([
        Promise.all([closeWebSockets(), closeWhenIdle(closed)]).then(() => false),
        timedOut,
      ]);
      timeout.abort();
      if (isTimedOut) {
        const requests = [...open.values()].filter(({ current }) => current !== null).length;
        log.warn(
          { connections: open.size, requests },
          'Closing the connections that are still open after DRAIN_TIMEOUT_MS.',
        );
      }
      for (const socket of open.keys()) socket.destroy();
      await closed;
    },
  };
}

const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) >= maxWaitingBodyBytes;

/**
 * Call before a stream starts. Closes the connection and returns false if requests wait behind it, or if the process is
 * ending its streams.
 */
export function startStream({ req }: ServerResponse): boolean {
  const connection = findConnection(req.socket);
  if (connection) connection.isStream = true;
  if (!connection || (connection.waiting.length === 0 && !connection.rejectsStreams)) return true;
  req.socket.destroy();
  return false;
}

/**
 * Call after a malformed request. If an earlier request is being answered, closes the connection after that response and
 * returns true: the client would mistake a rejection for that response. Otherwise returns false.
 */
export function endAfterResponse(socket: Socket): boolean {
  const connection = findConnection(socket);
  if (!connection?.current?.req.complete) return false;
  connection.isLast = true;
  if (connection.isStream) socket.destroy();
  return true;
}
