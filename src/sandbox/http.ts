import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { exactJson } from './json.ts';

/** A request as the areas see it: path and query are kept exactly as received. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** True when the body was over the limit; `body` then holds its beginning only. */
  readonly isBodyTooLarge: boolean;
  /** Scheme and host the client used, the start of every address in an answer. */
  readonly origin: string;
  /** A GUID of this request: the `request-id` header and the CorrelationId of errors. */
  readonly requestId: string;
}

/** An answer before it is sent; an empty body is sent as no body at all. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The real service takes 350 MB; in memory 10 MB is enough (gap: see docs/upstream.md). */
const bodyLimitBytes = 10_000_000;

/** An answer with a JSON body. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: exactJson(value) };
}

/** An answer without a body. */
export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: '' };
}

/** Splits a request target at its first question mark without decoding anything. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Reads a whole body, dropping what is over the limit but draining it, so that the client hears the refusal. */
export async function readBody(request: IncomingMessage): Promise<{ body: string; isBodyTooLarge: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= bodyLimitBytes) chunks.push(chunk);
  }
  return { body: Buffer.concat(chunks).toString('utf8'), isBodyTooLarge: size > bodyLimitBytes };
}

/** Parses query parameters, a plus sign being a space; the last of a repeated name wins. */
export function readParameters(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const [name, value] = equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
    parameters.set(decodeQuery(name), decodeQuery(value));
  }
  return parameters;
}

/** Decodes a path segment; undefined when its percent encoding is broken. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** True for `application/json` with any parameters. */
export function isJson(call: Call): boolean {
  return /^application\/json\s*(;|$)/i.test(call.headers['content-type'] ?? '');
}

/** Sends an answer; with `cutAt` the connection dies after that many bytes of the body. */
export function send(response: ServerResponse, answer: Answer, cutAt?: number): void {
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
  const length = answer.status === 204 ? {} : { 'content-length': String(body.length) };
  response.writeHead(answer.status, { ...answer.headers, ...length });
  if (cutAt === undefined) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  response.write(body.subarray(0, cutAt));
  response.socket?.destroySoon();
}

function decodeQuery(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return decodeSegment(spaced) ?? spaced;
}
