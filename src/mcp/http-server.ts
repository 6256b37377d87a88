import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server';

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Host names allowed in `Host` and `Origin`, besides those of this machine. */
  readonly allowedHosts: readonly string[];
  readonly createMcpServer: (authorization: string | null) => McpServer;
}

const path = '/mcp';

/** Serves MCP over Streamable HTTP, without sessions. */
export async function startHttpServer(options: HttpServerOptions) {
  const { host, port } = options;
  const handler = createMcpHandler(({ requestInfo }) =>
    options.createMcpServer(requestInfo?.headers.get('authorization') ?? null),
  );
  const allowed = [...localhostAllowedHostnames(), ...options.allowedHosts];
  const respond = async (request: Request): Promise<Response> =>
    hostHeaderValidationResponse(request, allowed) ??
    originValidationResponse(request, allowed) ??
    (new URL(request.url).pathname === path
      ? handler.fetch(request)
      : Response.json({ error: `Not found. The path is ${path}.` }, { status: 404 }));

  const server = createServer(async (incoming, outgoing) => {
    try {
      const { status, headers, body } = await respond(toWebRequest(incoming, outgoing));
      outgoing.writeHead(status, Object.fromEntries(headers));
      await pipeline(body ? Readable.fromWeb(body as never) : Readable.from([]), outgoing);
    } catch {
      // The client has disconnected or sent an invalid request.
      outgoing.destroy();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}${path}`,
    /** Resolves when the calls in flight have ended. */
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      await handler.close();
    },
  };
}

/** Converts a request to the type that the SDK takes. It is aborted when the client disconnects. */
function toWebRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort());
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    signal: closed.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  });
}
