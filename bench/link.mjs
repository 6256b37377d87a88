// A network link before a server of this machine: passes bytes on at a limited rate, and later.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

// What the network between holds before it stops the sender.
const maxBufferedBytes = 256 * 1024;

/** Starts a link to a local port. All its connections share the rate, which each direction has for itself. */
export async function startLink({ port, bitsPerSecond, roundTripMs }) {
  const sockets = new Set();
  const createDirection = () => {
    let freeAt = 0;
    return (from, to) => {
      let buffered = 0;
      from.on('data', (chunk) => {
        const now = performance.now();
        freeAt = Math.max(freeAt, now) + (chunk.length * 8 * 1000) / bitsPerSecond;
        buffered += chunk.length;
        if (buffered > maxBufferedBytes) from.pause();
        setTimeout(
          () => {
            to.write(chunk);
            buffered -= chunk.length;
            if (buffered <= maxBufferedBytes) from.resume();
          },
          freeAt - now + roundTripMs / 2,
        );
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      sockets.add(from);
    };
  };
  const [up, down] = [createDirection(), createDirection()];
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host: '127.0.0.1', port, noDelay: true });
    up(near, far);
    down(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
