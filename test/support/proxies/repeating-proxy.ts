import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const nothing = (path: string): Answer => {
  const isRecord = /\([^)]*\)$/.test(path.replace(/\?.*/s, ''));
  const body = isRecord
    ? { error: { code: 'Internal_RecordNotFound', message: 'The record does not exist.' } }
    : { value: [] };
  const headers = { 'content-type': 'application/json' };
  return { status: isRecord ? 404 : 200, headers, body: Buffer.from(JSON.stringify(body)) };
};

/** Stands before an upstream as HTTP intermediaries do that send a request again, and as one whose reads lag. */
export async function startRepeatingProxy(upstreamUrl: string) {
  const repeated = new Set<string>();
  let hiddenUntil = 0;

  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const body = Buffer.concat(await incoming.toArray());
    const deliver = () =>
      new Promise<Answer>((resolve, reject) => {
        const sent = request(new URL(path, upstreamUrl), { method, headers }, async (response) => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: Buffer.concat(await response.toArray()) });
        });
        sent.on('error', reject).end(body);
      });
    try {
      const isHidden = method === 'GET' && performance.now() < hiddenUntil;
      if (repeated.has(method)) await deliver();
      const answer = isHidden ? nothing(path) : await deliver();
      const { 'transfer-encoding': _chunked, ...rest } = answer.headers;
      outgoing.writeHead(answer.status, rest).end(answer.body);
    } catch {
      incoming.socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Delivers every request of a method twice from now on, and answers as the second was answered. */
    repeat(method: string) {
      repeated.add(method);
    },
    /** Shows none of what the business records hold for so long: reads are answered as if nothing was there. */
    hide(ms: number) {
      hiddenUntil = performance.now() + ms;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
