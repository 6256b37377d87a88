import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { transportError } from './errors.ts';
import { commonHeaders } from './response-headers.ts';

/**
 * Sends an HTTP response on a connection for which Node has no response object, and closes it. `status` has its reason
 * phrase.
 */
export function endWithRejection(
  socket: Duplex,
  status: string,
  message: string,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const requestId = randomUUID();
  const body = JSON.stringify(transportError(message, code, requestId));
  const fields = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
    connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  // Otherwise a client that keeps its side open would keep the connection, and what it sends would still be read.
  socket.once('finish', () => socket.destroy());
  socket.end(`${[`HTTP/1.1 ${status}`, ...lines].join('\r\n')}\r\n\r\n${body}`);
}
