import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector, Client, errors } from 'undici';
import type { HttpProxy } from './proxy.ts';

export interface WireOptions {
  /** An older HTTP connection takes no further call, and is closed when it is idle. */
  readonly maxConnectionAgeMs: number;
  /** Null for none. */
  readonly proxy: HttpProxy | null;
  /** Presented to an upstream that requests one; null for none. */
  readonly clientCertificate: ClientCertificate | null;
}

/** Opens a connection. Returns the function that cancels the attempt, after which the callback is not called. */
export type Connect = (target: buildConnector.Options, callback: buildConnector.Callback) => () => void;

/** A certificate with its chain, and its private key, in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Opens connections to an upstream and remembers the errors of failed attempts. */
export interface Connector {
  readonly connect: Connect;
  /** Whether this error prevented a connection, so that nothing of the request was sent. */
  isConnectError(error: Error): boolean;
}

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** The proxy that opens a tunnel to the upstream; null for a direct connection. */
  readonly tunnelProxy: HttpProxy | null;
  readonly clientCertificate: ClientCertificate | null;
}

// Delay before the next of several addresses is tried in parallel (RFC 8305, section 5).
const addressTimeoutMs = 250;

export function createConnector({ timeoutMs, tunnelProxy, clientCertificate }: ConnectorOptions): Connector {
  const connectErrors = new WeakSet<Error>();
  const options = {
    ...verifiedTls,
    timeout: timeoutMs,
    // Explicit, so that --no-network-family-autoselection cannot limit connections to the first of several addresses.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
  };
  const connectToUpstream = buildConnector({ ...options, ...clientCertificate });
  const connect = tunnelProxy
    ? createTunnelConnect(tunnelProxy, timeoutMs, buildConnector(options), connectToUpstream)
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
    // undici returns the socket, although its type does not declare it.
    const opening = connect(target, callback) as unknown as Socket;
    return () => opening.destroy();
  };

export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  readonly status: number;

  constructor(status: number) {
    super(`The proxy refused the connection with status ${status}.`);
    this.status = status;
  }
}

/**
 * Opens TLS connections through a proxy (CONNECT, RFC 9110, section 9.3.6). Not undici's `ProxyAgent`, whose own pool would
 * hide the age of connections (addresses.test.ts) and the proof that nothing was sent (proxies.test.ts). `connectToUpstream`
 * starts TLS with the upstream over the tunnel, which it gets as `httpSocket`.
 */
function createTunnelConnect(
  { origin, authorization }: HttpProxy,
  timeoutMs: number,
  connectToProxy: buildConnector.connector,
  connectToUpstream: buildConnector.connector,
): Connect {
  return (target, callback) => {
    const cancellation = new AbortController();
    const client = new Client(origin, { connect: connectToProxy, headersTimeout: 0 });
    let tunnel: Duplex | undefined;
    let isOver = false;
    const end: buildConnector.Callback = (...result) => {
      clearTimeout(timer);
      if (isOver) return;
      isOver = true;
      if (result[0]) close();
      callback(...result);
    };
    const close = () => {
      cancellation.abort();
      tunnel?.destroy();
      void client.destroy();
    };
    const timer = setTimeout(() => end(new errors.ConnectTimeoutError(), null), timeoutMs);
    const authority = `${target.hostname.includes(':') ? `[${target.hostname}]` : target.hostname}:${target.port || 443}`;
    client
      .connect({
        path: authority,
        headers: {
          host: authority,
          ...(authorization === null ? {} : { 'proxy-authorization': authorization }),
        },
        signal: cancellation.signal,
      })
      .then(({ statusCode, socket }) => {
        tunnel = socket.on('error', () => {});
        if (isOver) socket.destroy();
        else if (statusCode < 200 || statusCode > 299) end(new ProxyRefusal(statusCode), null);
        else connectToUpstream({ ...target, httpSocket: socket as never }, end);
      })
      .catch((error: Error) => end(error, null));
    return () => {
      isOver = true;
      clearTimeout(timer);
      close();
    };
  };
}

const start = Buffer.from('HTTP/1.1 1');
const switching = Buffer.from('HTTP/1.1 101');
const headEnd = '\r\n\r\n';
// A longer interim response is passed on unchanged.
const maxInterimHeadBytes = 16 * 1024;
const noBytes: Buffer = Buffer.alloc(0);

/**
 * Removes 1xx responses from the data read from a connection. A client must accept and may ignore an unexpected 1xx
 * response (RFC 9110, section 15.2), but undici 7 closes the connection at a `100 Continue`. Requires one request at a
 * time, and that the socket is read with `read` only.
 */
function skipInterimResponses<Connected extends Pick<Socket, 'read' | 'bytesWritten'>>(
  socket: Connected,
): Connected {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let bytesWritten = -1;
  let isAtStart = true;
  let pending = noBytes;

  socket.read = (size?: number) => {
    const chunk = read(size);
    if (chunk === null) return null;
    // A request was sent since the last response began, so this is the start of the next response.
    if (socket.bytesWritten !== bytesWritten) {
      bytesWritten = socket.bytesWritten;
      isAtStart = true;
    }
    if (!isAtStart) return chunk;
    let bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    while (isInterim(bytes)) {
      const end = bytes.indexOf(headEnd);
      if (end === -1 && bytes.length > maxInterimHeadBytes) break;
      if (end === -1) {
        pending = bytes;
        return null;
      }
      bytes = bytes.subarray(end + headEnd.length);
    }
    isAtStart = false;
    pending = noBytes;
    return bytes;
  };
  return socket;
}

/** Whether these bytes begin, or may begin, a 1xx response. Not 101, which ends HTTP on the connection. */
function isInterim(bytes: Buffer): boolean {
  const known = bytes.subarray(0, start.length);
  if (!start.subarray(0, known.length).equals(known)) return false;
  return !bytes.subarray(0, switching.length).equals(switching);
}
