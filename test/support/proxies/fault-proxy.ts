import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createToxics, type Toxic } from './toxics.ts';

/** One connection, as its two ends cannot deny it. */
export interface Connection {
  /** The first line of every request. */
  readonly requests: readonly string[];
  /** Bytes that came from the layer, and that it was sent. */
  readonly up: number;
  readonly down: number;
  readonly isOpen: boolean;
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Stands before an upstream below HTTP, and does to its connections what networks do. */
export async function startFaultProxy(upstreamUrl: string) {
  const { hostname, port: upstreamPort } = new URL(upstreamUrl);
  const connections: Connection[] = [];
  const sockets = new Set<Socket>();
  const { next, calm, atDoor, atRequest } = createToxics();

  const server = createServer({ noDelay: true }, (near) => {
    const requests: string[] = [];
    const connection: Mutable<Connection> = { requests, up: 0, down: 0, isOpen: true };
    connections.push(connection);
    sockets.add(near);
    near.on('error', () => near.destroy());
    near.on('close', () => {
      connection.isOpen = false;
      sockets.delete(near);
    });
    const kind = atDoor();
    if (kind === 'closed') return void near.destroy();
    if (kind === 'reset') return void near.resetAndDestroy();
    if (kind === 'silent') return void near.on('data', ({ length }) => (connection.up += length));

    const far = connect({ host: hostname, port: Number(upstreamPort), noDelay: true });
    near.on('close', () => far.destroy());
    far.on('error', () => near.destroy());
    let exchange = { toxic: {} as Toxic, isAnswered: true, held: Buffer.alloc(0), told: 0 };

    near.on('data', (bytes) => {
      connection.up += bytes.length;
      if (exchange.isAnswered) {
        const line = bytes.toString('latin1').split('\r\n')[0] ?? '';
        const toxic = atRequest(line, requests.length > 0);
        requests.push(line);
        exchange = { toxic, isAnswered: false, held: Buffer.alloc(0), told: 0 };
      }
      if (exchange.toxic.unheard) near.resetAndDestroy();
      else far.write(bytes);
    });

    const tell = async (bytes: Buffer, pieces: Toxic['pieces']) => {
      const size = pieces?.bytes ?? bytes.length;
      for (let at = 0; at < bytes.length && !near.destroyed; at += size) {
        if (at > 0) await sleep(pieces?.everyMs);
        const piece = bytes.subarray(at, at + size);
        connection.down += piece.length;
        await new Promise((resolve) => near.write(piece, resolve));
      }
    };

    far.on('data', async (bytes) => {
      const current = exchange;
      const { latencyMs, pieces, rewrite, cutAt, resetAt } = current.toxic;
      far.pause();
      if (!current.isAnswered && latencyMs) await sleep(latencyMs);
      current.isAnswered = true;
      let answer: Buffer = bytes;
      if (rewrite || cutAt === 'end') {
        current.held = Buffer.concat([current.held, bytes]);
        answer = !isWhole(current.held) ? Buffer.alloc(0) : (rewrite?.(current.held) ?? current.held);
      }
      const limit = resetAt ?? (typeof cutAt === 'number' ? cutAt : Number.POSITIVE_INFINITY);
      const said = answer.subarray(0, limit - current.told);
      current.told += said.length;
      await tell(said, pieces);
      if (resetAt !== undefined && current.told >= limit) near.resetAndDestroy();
      else if (current.told >= limit || (cutAt === 'end' && answer.length > 0)) near.destroySoon();
      far.resume();
    });
    far.on('end', () => near.end());
  });

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const down = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    connections,
    /** How many are open. */
    open: () => sockets.size,
    next,
    calm,
    /** Resets all connections there are, at once. */
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    /** Refuses connections, and ends those there are, until it is up again. */
    down,
    async up() {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    stop: down,
  };
}

/** Whether an answer is there to its end, by its length or by its last chunk. */
function isWhole(answer: Buffer): boolean {
  const end = answer.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = /content-length: *(\d+)/i.exec(answer.toString('latin1', 0, end))?.[1];
  return length === undefined
    ? answer.subarray(-5).toString('latin1') === '0\r\n\r\n'
    : answer.length >= end + 4 + Number(length);
}
