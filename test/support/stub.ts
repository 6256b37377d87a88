import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Tells connections apart. */
  readonly remotePort: number | undefined;
}

export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Text or bytes as they are sent; anything else is sent as JSON. */
  readonly body?: unknown;
  /** Closes the connection instead of answering. */
  readonly isCut?: boolean;
}

export interface Stub {
  readonly url: string;
  readonly requests: readonly StubRequest[];
  stop(): void;
}

/** A real server that answers as a test says: for upstreams that are unlike the sandbox. */
export async function startStub(
  answer: (request: StubRequest) => StubAnswer | Promise<StubAnswer>,
  { host = '127.0.0.1', port = 0 } = {},
): Promise<Stub> {
  const requests: StubRequest[] = [];
  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    const request = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      headers: incoming.headers,
      body,
      remotePort: incoming.socket.remotePort,
    };
    requests.push(request);
    const { status = 200, headers = {}, body: answered, isCut = false } = await answer(request);
    if (isCut) return void incoming.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(
      answered === undefined
        ? ''
        : typeof answered === 'string' || Buffer.isBuffer(answered)
          ? answered
          : JSON.stringify(answered),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
