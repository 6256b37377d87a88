import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { skipInterimResponses } from '../interim-responses.ts';

/** Opens a connection. Returns the function that cancels that: then the callback is not called. */
export type Connect = (target: buildConnector.Options, callback: buildConnector.Callback) => () => void;

/** Opens connections to an upstream, and knows the errors that kept one from opening. */
export interface Connector {
  readonly connect: Connect;
  /** Whether this error kept a connection from opening: nothing was sent of the request that waited for it. */
  isConnectError(error: Error): boolean;
}

// Time for one of several addresses before the next is tried too (RFC 8305, section 5).
const addressTimeoutMs = 250;

/** Creates a connector that gives up after `timeoutMs`. */
export function createConnector(timeoutMs: number): Connector {
  const connectErrors = new WeakSet<Error>();
  const connect = buildConnector({
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot weaken it.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    timeout: timeoutMs,
    // Explicit, so that --no-network-family-autoselection does not make the first of several addresses the only one.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
  });
  return {
    connect(target, callback) {
      // Returns the socket, which its type does not say.
      const opening = connect(target, (...[error, socket]) => {
        if (error === null) return callback(null, skipInterimResponses(socket));
        connectErrors.add(error);
        return callback(error, null);
      }) as unknown as Socket;
      return () => opening.destroy();
    },
    isConnectError: (error) => connectErrors.has(error),
  };
}
