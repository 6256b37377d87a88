import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { skipInterimResponses } from '../interim-responses.ts';
import type { HttpProxy } from './proxy.ts';
import { createTunnelConnect } from './tunnel.ts';
import type { ClientCertificate, Connect } from './wire-options.ts';

/** Opens connections to an upstream, and knows the errors that kept one from opening. */
export interface Connector {
  readonly connect: Connect;
  /** Whether this error kept a connection from opening: nothing was sent of the request that waited for it. */
  isConnectError(error: Error): boolean;
}

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** The proxy that opens a tunnel to the upstream; null for a direct connection. */
  readonly tunnelProxy: HttpProxy | null;
  readonly clientCertificate: ClientCertificate | null;
}

// Time for one of several addresses before the next is tried too (RFC 8305, section 5).
const addressTimeoutMs = 250;

export function createConnector({ timeoutMs, tunnelProxy, clientCertificate }: ConnectorOptions): Connector {
  const connectErrors = new WeakSet<Error>();
  const options = {
    ...verifiedTls,
    timeout: timeoutMs,
    // Explicit, so that --no-network-family-autoselection does not make the first of several addresses the only one.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
  };
  const connectToUpstream = buildConnector({ ...options, ...clientCertificate });
  const connect = tunnelProxy
    ? createTunnelConnect({
        proxy: tunnelProxy,
        timeoutMs,
        connectToProxy: buildConnector(options),
        connectToUpstream,
      })
    : createDirectConnect(connectToUpstream);
  return {
    connect: (target, callback) =>
      connect(target, (...[error, socket]) => {
        if (error === null) return callback(null, skipInterimResponses(socket));
        connectErrors.add(error);
        return callback(error, null);
      }),
    isConnectError: (error) => connectErrors.has(error),
  };
}

/** Explicit, so that neither NODE_TLS_REJECT_UNAUTHORIZED nor --tls-min-v1.0 can weaken it. */
export const verifiedTls = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

const createDirectConnect =
  (connect: buildConnector.connector): Connect =>
  (target, callback) => {
    // Returns the socket, which its type does not say.
    const opening = connect(target, callback) as unknown as Socket;
    return () => opening.destroy();
  };
