import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A real server that nobody may ever speak to. */
export interface Decoy {
  /** Host and port, as an address names them. */
  readonly host: string;
  readonly port: number;
  /** Connections there were, although nothing may have been sent. */
  connections(): number;
  /** Every byte that came, as text. */
  received(): string;
  stop(): Promise<void>;
}

/** It listens below every protocol, so that no form of request escapes it, and answers what a status would. */
export async function startDecoy(): Promise<Decoy> {
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    port,
    connections: () => connections,
    received: () => received,
    async stop() {
      server.close();
      await once(server, 'close');
    },
  };
}
