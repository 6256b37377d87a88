import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Connect } from './connector.ts';

/** An HTTP connection, or one that opens with its first request. Carries one call at a time. */
export interface Connection {
  /** Whether it has carried a call before. The upstream may close such a connection before it reads the next request. */
  readonly isReused: boolean;
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Returns the connection to its pool after the call. */
  release(): void;
}

export interface ConnectionPool {
  /** Takes a connection for one call; a new one with `isFresh`. */
  acquire(isFresh: boolean): Connection;
  close(): Promise<void>;
}

export interface ConnectionPoolOptions {
  readonly origin: string;
  readonly connect: Connect;
  readonly clientOptions: Client.Options;
  /** An older connection takes no further call, and is closed when it is idle. */
  readonly maxAgeMs: number;
}

/**
 * Reuses HTTP connections, the most recently used first, so that surplus connections become idle and close. Their
 * number is not limited: the rate limiter limits the calls. Not undici's `Pool` with `clientTtl`: in 7.30 a call can be
 * left without a connection when all connections of the pool are old (addresses.test.ts).
 */
export function createConnectionPool({
  origin,
  connect,
  clientOptions,
  maxAgeMs,
}: ConnectionPoolOptions): ConnectionPool {
  const clients = new Set<Client>();
  const idle: (Connection & { disconnect(): void })[] = [];

  const create = () => {
    let isBusy = false;
    let isOld = false;
    // False after a failed connection attempt: after some TLS errors undici considers a client busy for ever.
    let isUsable = true;
    let hasCarriedCall = false;
    let socket: Socket | undefined;
    let cancelConnect: (() => void) | undefined;
    const disconnect = () => void socket?.destroy();
    const becomeOld = () => {
      isOld = true;
      if (!isBusy) disconnect();
    };
    // The client reconnects after it has lost its connection.
    const client = new Client(origin, {
      ...clientOptions,
      connect(target, callback) {
        cancelConnect = connect(target, (...result) => {
          cancelConnect = undefined;
          const [, opened] = result;
          if (opened) {
            socket = opened;
            isOld = false;
            const timer = setTimeout(becomeOld, maxAgeMs).unref();
            hasCarriedCall = false;
            opened.once('close', () => clearTimeout(timer));
          } else isUsable = false;
          callback(...result);
        });
      },
    });
    clients.add(client);
    const connection = {
      get isReused() {
        return hasCarriedCall && socket?.destroyed === false;
      },
      dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
        isBusy = true;
        client.dispatch(request, handler);
      },
      release() {
        isBusy = false;
        hasCarriedCall = true;
        if (isOld) disconnect();
        // If the connection is still being opened, nobody waits for it any more.
        cancelConnect?.();
        if (isUsable && !cancelConnect) idle.push(connection);
        else {
          clients.delete(client);
          void client.destroy();
        }
      },
      disconnect,
    };
    return connection;
  };

  return {
    acquire(isFresh) {
      const connection = (isFresh ? idle.shift() : idle.pop()) ?? create();
      if (isFresh) connection.disconnect();
      return connection;
    },
    async close() {
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
}
