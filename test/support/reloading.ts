import { readFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import type { Certificates } from './deployment/certificates.ts';
import { type Stub, startStub } from './stub.ts';

/** Area A over TLS: shows which client certificates it was shown, and holds calls for a company by that name. */
export interface CertificateUpstream {
  readonly url: string;
  /** Names in the certificates, the latest last. */
  readonly subjects: readonly string[];
  /** Resolves when a call for the company `held` has arrived; `release` answers it. */
  held(): Promise<{ release(): void }>;
  stop(): void;
}

const company = { id: '0e0f0986-928f-40d7-8834-d1910255a423', name: 'n'.repeat(2_000) };

export async function startCertificateUpstream(certificates: Certificates): Promise<CertificateUpstream> {
  const subjects: string[] = [];
  const holding: (() => void)[] = [];
  let onHeld = () => {};
  const options: ServerOptions = {
    ...certificates.good,
    ca: readFileSync(certificates.authority),
    requestCert: true,
    rejectUnauthorized: false,
  };
  const server = createServer(options, async (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    subjects.push(String(subject?.CN));
    if (request.url?.includes('held'))
      await new Promise<void>((resolve) => {
        holding.push(resolve);
        onHeld();
      });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ value: [company], '@odata.count': 1 }));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    subjects,
    async held() {
      if (holding.length === 0)
        await new Promise<void>((resolve) => {
          onHeld = resolve;
        });
      return { release: () => holding.shift()?.() };
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Token endpoints and areas B and C. Each token is for one call. */
export const startTokenStub = (): Promise<Stub> =>
  startStub(({ target }) =>
    target.endsWith('/token')
      ? { body: { access_token: 'token-of-the-stub', token_type: 'bearer', expires_in: 0 } }
      : { body: { value: [] } },
  );

/** The last client secret that the stub was sent for an area. */
export const lastSecret = ({ requests }: Stub, area: string): string | null =>
  new URLSearchParams(requests.findLast(({ target }) => target === `/${area}/token`)?.body).get(
    'client_secret',
  );

/** A WebSocket after `connection_init`: `ready`, or the status or close code that it was refused with. */
export const openSocket = (url: string): Promise<{ socket: WebSocket; state: string | number }> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    socket.on('open', () => socket.send('{"type":"connection_init"}'));
    socket.once('message', () => resolve({ socket, state: 'ready' }));
    socket.once('close', (code) => resolve({ socket, state: code }));
    socket.once('unexpected-response', (_request, response) => {
      resolve({ socket, state: response.statusCode ?? 0 });
      socket.terminate();
    });
    socket.on('error', () => {});
  });
