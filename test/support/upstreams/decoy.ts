import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { everyToken } from '../leaks.ts';

export type Decoy = Awaited<ReturnType<typeof startDecoy>>;

/**
 * A real server that nobody may ever speak to. It listens below every protocol, so that no form of request escapes it, and
 * answers what a status would.
 */
export async function startDecoy() {
  let connections = 0;
  let received = '';
  const body = '{"status":"Succeeded","percentComplete":100}';
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  // By whichever of the machine's addresses it is named.
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    port,
    /** Connections there were, although nothing may have been sent. */
    connections: () => connections,
    received: () => received,
    /** Rejects where it was sent a token of any test. */
    async stop() {
      server.close();
      await once(server, 'close');
      everyToken.look('A decoy', received);
      everyToken.check();
    },
  };
}

/** Everything an address can do to lead to another host; `place` is where it leads there, without a slash before it. */
export const tricks: readonly (readonly [
  what: string,
  write: (ours: string, theirs: string, place: string) => string,
])[] = [
  ['plain', (_ours, theirs, place) => `http://${theirs}/${place}`],
  ['https', (_ours, theirs, place) => `https://${theirs}/${place}`],
  ['without a scheme', (_ours, theirs, place) => `//${theirs}/${place}`],
  ['with no slash', (_ours, theirs, place) => `http:${theirs}/${place}`],
  ['with backslashes', (_ours, theirs, place) => `http:\\\\${theirs}\\${place.replaceAll('/', '\\')}`],
  ['with our host as the user', (ours, theirs, place) => `http://${ours}@${theirs}/${place}`],
  ['with our host, then a backslash', (ours, theirs, place) => `http://${ours}\\@${theirs}/${place}`],
  ['with our host, then a hash', (ours, theirs, place) => `http://${ours}#@${theirs}/${place}`],
  ['behind our own host', (ours, theirs, place) => `http://${ours}//${theirs}/${place}`],
  ['behind an at sign', (_ours, theirs, place) => `@${theirs}/${place}`],
  ['of another protocol', (_ours, theirs, place) => `ftp://${theirs}/${place}`],
  ...['localhost', '2130706433', '[::1]', '0'].map(
    (host) =>
      [
        `with its address as ${host}`,
        (_ours: string, theirs: string, place: string) => `http://${host}:${theirs.split(':')[1]}/${place}`,
      ] as const,
  ),
  ['of a file', (_ours, _theirs, place) => `file:///${place}`],
  ['of what hosts tell their guests', (_ours, _theirs, place) => `http://169.254.169.254/${place}`],
];
