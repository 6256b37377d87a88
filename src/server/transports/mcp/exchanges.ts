import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mcpPath } from '../../paths.ts';
import { streamHeaders } from '../server-sent-events.ts';

// What the SDK reads. The token stays here.
const forwardedHeaders = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
] as const;

/** The request as the SDK takes it, without its body, which is parsed already. */
export function toWebRequest({ headers, method }: FastifyRequest, signal: AbortSignal): Request {
  const forwarded = new Headers();
  for (const name of forwardedHeaders) {
    const value = headers[name];
    if (typeof value === 'string') forwarded.set(name, value);
  }
  return new Request(`http://localhost${mcpPath}`, { method, headers: forwarded, signal });
}

/** Sends the SDK's response: an event stream event by event, anything else as a whole. */
export async function sendWebResponse(response: Response, reply: FastifyReply): Promise<unknown> {
  const type = response.headers.get('content-type');
  if (response.body === null) return reply.code(response.status).send();
  if (!type?.startsWith('text/event-stream'))
    return reply
      .code(response.status)
      .type(type ?? 'application/json')
      .send(await response.text());
  reply.hijack();
  const { raw } = reply;
  if (raw.destroyed) return void response.body.cancel();
  raw.socket?.setTimeout(stallTimeoutMs);
  raw.writeHead(response.status, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...streamHeaders });
  const reader = response.body.getReader();
  raw.once('close', () => void reader.cancel().catch(() => {}));
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (raw.destroyed) return;
    if (!raw.write(read.value)) await drained(raw);
  }
  raw.end();
}

// How long a client may read nothing while events are being sent.
const stallTimeoutMs = 30_000;

/** Resolves when more can be written, or the connection has closed. */
const drained = (raw: FastifyReply['raw']) =>
  new Promise<void>((resolve) => {
    raw.once('drain', resolve);
    raw.once('close', resolve);
  });
