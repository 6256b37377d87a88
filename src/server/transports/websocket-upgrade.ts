import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { graphqlPath } from '../paths.ts';
import { endWithRejection } from '../raw-rejection.ts';
import { hasSeveralHosts, invalidHost, originNotAllowed } from './origins.ts';

const subprotocol = 'graphql-transport-ws';

export type UpgradeRejection = readonly [status: string, message: string, code: string];

export const tooManySockets: UpgradeRejection = [
  '503 Service Unavailable',
  'Too many connections are open. Try again later.',
  'OVERLOADED',
];

/** Returns why a request cannot be upgraded to WebSocket, or null. */
export function checkUpgrade(
  request: IncomingMessage,
  isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean,
): UpgradeRejection | null {
  const { url, headers } = request;
  // Node emits `upgrade` for any request with the header, and it can no longer be handled as a normal
  // request.
  if (request.method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket')
    return [
      '400 Bad Request',
      'This upgrade is not supported. Send no `Upgrade` header, except for WebSocket by GET.',
      'BAD_USER_INPUT',
    ];
  if (hasSeveralHosts(request)) return ['400 Bad Request', invalidHost, 'BAD_USER_INPUT'];
  if (url?.split('?')[0] !== graphqlPath)
    return ['404 Not Found', `Not found. The GraphQL endpoint is ${graphqlPath}.`, 'BAD_USER_INPUT'];
  if (!isAllowedOrigin(headers)) return ['403 Forbidden', originNotAllowed, 'FORBIDDEN'];
  // Without an offer, the client is accepted and closed with 4406. Browsers fail on a response that selects
  // none of the protocols they offered.
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  if (offered && !offered.includes(subprotocol))
    return [
      '400 Bad Request',
      `The WebSocket subprotocol is not supported. Offer ${subprotocol}.`,
      'BAD_USER_INPUT',
    ];
  return null;
}

/** Sends an HTTP response on the socket and closes it. */
export function rejectUpgrade(socket: Duplex, status: string, message: string, code: string): void {
  // Otherwise a client that keeps its side open would keep the connection.
  socket.once('finish', () => socket.destroy());
  endWithRejection(socket, status, message, code, code === 'OVERLOADED' ? { 'retry-after': '1' } : {});
}
