import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { stringifyExactJson } from './json.ts';

/** A request as the areas handle it. Path and query are exactly as received. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The same as `body`, not decoded; without bytes for a part of a batch. */
  readonly bytes: Uint8Array;
  /** Scheme and host that the client used. URLs in responses start with it. */
  readonly origin: string;
  /** A GUID of this request: the `request-id` header and the CorrelationId of errors. */
  readonly requestId: string;
}

/** A response before it is sent. An empty `body` means none. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: stringifyExactJson(value),
  };
}

export function emptyResponse(status: number, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return { status, headers, body: '' };
}

/** Splits a request target at its first question mark without decoding anything. */
export function splitTarget(target: string): { path: string; query: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

export async function readBody(request: IncomingMessage): Promise<Pick<ApiRequest, 'body' | 'bytes'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { body: bytes.toString('utf8'), bytes };
}

/** Parses query parameters. A plus sign is a space. The last of repeated parameters wins. */
export function parseQuery(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const [name, value] = equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
    parameters.set(decodeQuery(name), decodeQuery(value));
  }
  return parameters;
}

/** Decodes a path segment. Returns undefined when its percent-encoding is invalid. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** True for `application/json` with any parameters. */
export function hasJsonContentType(request: ApiRequest): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

/** Sends a response. With `cutAt`, the connection is closed after that many bytes of the body. */
export function sendResponse(response: ServerResponse, apiResponse: ApiResponse, cutAt?: number): void {
  const body = typeof apiResponse.body === 'string' ? Buffer.from(apiResponse.body) : apiResponse.body;
  const length = apiResponse.status === 204 ? {} : { 'content-length': String(body.length) };
  response.writeHead(apiResponse.status, { ...apiResponse.headers, ...length });
  if (cutAt === undefined) {
    response.end(body);
    return;
  }
  response.flushHeaders();
  response.write(body.subarray(0, cutAt));
  response.socket?.destroySoon();
}

/** Closes the connection after a delay, even when another request has arrived on it. */
export function closeAfter(response: ServerResponse, ms: number): void {
  const { socket } = response;
  response.once('finish', () => setTimeout(() => socket?.destroy(), ms).unref());
}

function decodeQuery(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return decodeSegment(spaced) ?? spaced;
}
