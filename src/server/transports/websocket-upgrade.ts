import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { graphqlPath } from '../paths.ts';
import { endWithRejection } from '../raw-rejection.ts';
import { hasOneHost, invalidHost, originNotAllowed } from './origins.ts';

const subprotocol = 'graphql-transport-ws';

export type UpgradeRejection = readonly [status: string, message: string, code: string];

export const tooManySockets: UpgradeRejection = [
  '503 Service Unavailable',
  'Too many connections are open. Try again later.',
  'OVERLOADED',
];

/**
 * A request that asks for an upgrade to WebSocket only by GET. Any other upgrade, such as `h2c` of Java's HTTP client, is
 * ignored (RFC 9110 §7.8): Node would take the connection from HTTP for each of them. Node writes `upgrade` before it knows
 * the headers, and reads it after that; Node 24 has `shouldUpgradeCallback` for this.
 */
export class UpgradableRequest extends IncomingMessage {
  declare isUpgradeParsed: boolean | null;

  set upgrade(isParsed: boolean | null) {
    this.isUpgradeParsed = isParsed;
  }

  get upgrade(): boolean | null {
    const isWebSocket = this.method === 'GET' && this.headers.upgrade?.toLowerCase() === 'websocket';
    return this.isUpgradeParsed && (isWebSocket || this.method === 'CONNECT');
  }
}

/** Returns why a request cannot be upgraded to WebSocket, or null. */
export function checkUpgrade(
  request: IncomingMessage,
  isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean,
): UpgradeRejection | null {
  const { url, headers } = request;
  if (!hasOneHost(request)) return ['400 Bad Request', invalidHost, 'BAD_USER_INPUT'];
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
  endWithRejection(socket, status, message, code, code === 'OVERLOADED' ? { 'retry-after': '1' } : {});
}
