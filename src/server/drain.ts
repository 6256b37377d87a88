import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Ends servers without failing what it has begun. */
export interface Drain {
  /** Keeps account of the connections of a server, before it listens; there is one for each address of a host. */
  watch(server: Server): Server;
  isDraining(): boolean;
  /** Resolves when nothing is connected any more. `closeLasting` ends what would last: sockets and streams. */
  drain(closeLasting: () => Promise<void>): Promise<void>;
}

export interface DrainOptions {
  /** How long requests are still taken, for others to see that no more should come. */
  readonly delayMs: number;
  /** How long what is in flight may take after that. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

// For requests that are half sent when the last answer leaves.
const lingerMs = 1_000;

export function createDrain({ delayMs, timeoutMs, log }: DrainOptions): Drain {
  const servers: Server[] = [];
  const open = new Map<Socket, Set<ServerResponse>>();
  let isDraining = false;
  let whenIdle = () => {};

  const isIdle = () => ![...open.values()].some((answers) => [...answers].some(({ req }) => req.complete));
  const look = () => {
    if (isDraining && isIdle()) whenIdle();
  };
  const connected = (socket: Socket) => {
    open.set(socket, new Set());
    socket.once('close', () => {
      open.delete(socket);
      look();
    });
  };
  const requested = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = open.get(socket);
    if (isDraining) response.shouldKeepAlive = false;
    answers?.add(response);
    response.on('close', () => {
      answers?.delete(response);
      look();
    });
  };

  const idle = () =>
    new Promise<void>((resolve) => {
      whenIdle = resolve;
      look();
    });
  const settled = async (closed: Promise<unknown>) => {
    do {
      await idle();
      for (const server of servers) server.closeIdleConnections();
      await Promise.race([closed, sleep(lingerMs)]);
    } while (!isIdle());
  };

  return {
    isDraining: () => isDraining,

    watch(server) {
      servers.push(server);
      return server.on('connection', connected).prependListener('request', requested);
    },

    async drain(closeLasting) {
      isDraining = true;
      // A client that is told so asks again elsewhere; one whose connection is only closed may be just asking.
      for (const answers of open.values())
        for (const response of answers) if (!response.headersSent) response.shouldKeepAlive = false;
      await sleep(delayMs);
      const closed = Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      const cap = new AbortController();
      const tooLate = sleep(timeoutMs, true, { signal: cap.signal }).catch(() => false);
      const isCut = await Promise.race([
        Promise.all([closeLasting(), settled(closed)]).then(() => false),
        tooLate,
      ]);
      cap.abort();
      if (isCut) {
        const requests = [...open.values()].reduce((count, answers) => count + answers.size, 0);
        log.warn({ connections: open.size, requests }, 'What took longer than DRAIN_TIMEOUT_MS is cut off.');
      }
      for (const socket of open.keys()) socket.destroy();
      await closed;
    },
  };
}
