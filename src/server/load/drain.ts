import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Graceful shutdown of HTTP servers. */
export interface Drain {
  /** Registers a server before it listens. Fastify creates one for each address of a host. */
  trackServer(server: Server): Server;
  isDraining(): boolean;
  /** Resolves when all connections are closed. `closeLasting` closes WebSockets and event streams. */
  stopServers(closeLasting: () => Promise<void>): Promise<void>;
}

export interface DrainOptions {
  /** How long new requests are still accepted, for load balancers to notice. */
  readonly delayMs: number;
  /** How long requests in flight may take after that. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

// Time for requests that are partly received when the last response is sent.
const lingerMs = 1_000;

export function createDrain({ delayMs, timeoutMs, log }: DrainOptions): Drain {
  const servers: Server[] = [];
  // Arrays, not sets: a `Set` that changes with every request keeps ended responses reachable (EphemeralMap).
  const open = new Map<Socket, ServerResponse[]>();
  let isDraining = false;
  let onIdle = () => {};

  const isIdle = () => ![...open.values()].some((responses) => responses.some(({ req }) => req.complete));
  const checkIdle = () => {
    if (isDraining && isIdle()) onIdle();
  };
  const trackConnection = (socket: Socket) => {
    open.set(socket, []);
    socket.once('close', () => {
      open.delete(socket);
      checkIdle();
    });
  };
  const trackRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = open.get(socket) ?? [];
    if (isDraining) response.shouldKeepAlive = false;
    responses.push(response);
    response.on('close', () => {
      const index = responses.indexOf(response);
      if (index >= 0) responses.splice(index, 1);
      checkIdle();
    });
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
      return server.on('connection', trackConnection).prependListener('request', trackRequest);
    },

    async stopServers(closeLasting) {
      isDraining = true;
      // With `connection: close`, clients send their next request elsewhere. Closing an idle connection
      // instead can race with a request.
      for (const responses of open.values())
        for (const response of responses) if (!response.headersSent) response.shouldKeepAlive = false;
      await sleep(delayMs);
      const closed = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      const timeout = new AbortController();
      const timedOut = sleep(timeoutMs, true, { signal: timeout.signal }).catch(() => false);
      const isTimedOut = await Promise.race([
        Promise.all([closeLasting(), closeWhenIdle(closed)]).then(() => false),
        timedOut,
      ]);
      timeout.abort();
      if (isTimedOut) {
        const requests = [...open.values()].reduce((count, responses) => count + responses.length, 0);
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
