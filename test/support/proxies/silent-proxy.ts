import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands before a TCP server, and can fall silent as a firewall does that has forgotten its connections. */
export async function startSilentProxy(serverPort: number) {
  const sockets = new Set<Socket>();
  let target: number | null = serverPort;

  const server = createServer({ noDelay: true }, (near) => {
    const far = target === null ? null : connect({ host: '127.0.0.1', port: target, noDelay: true });
    const pass = (from: Socket, to: Socket | null) => {
      sockets.add(from);
      from.on('data', (bytes) => to?.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to?.destroy();
      });
    };
    pass(near, far);
    if (far) pass(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    /** Discards all further data of every connection, in both directions, without closing or refusing any. */
    silence() {
      target = null;
      for (const socket of sockets) socket.removeAllListeners('data').removeAllListeners('close').resume();
    },
    /** New connections go to the server of this port. Those that were silenced stay silent. */
    passTo(port: number) {
      target = port;
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
