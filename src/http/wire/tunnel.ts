import type { Duplex } from 'node:stream';
import { type buildConnector, Client, errors } from 'undici';
import type { HttpProxy } from './proxy.ts';
import type { Connect } from './wire-options.ts';

/** The proxy refused a connection to the upstream. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  /** The status of its response. */
  readonly status: number;

  constructor(status: number) {
    super(`The proxy refused the connection with status ${status}.`);
    this.status = status;
  }
}

export interface TunnelOptions {
  readonly proxy: HttpProxy;
  readonly timeoutMs: number;
  /** Connects to the proxy. */
  readonly connectToProxy: buildConnector.connector;
  /** Begins TLS with the upstream over the tunnel, as `httpSocket`. */
  readonly connectToUpstream: buildConnector.connector;
}

/** Opens TLS connections through a proxy (CONNECT, RFC 9110, section 9.3.6). */
export function createTunnelConnect({
  proxy,
  timeoutMs,
  connectToProxy,
  connectToUpstream,
}: TunnelOptions): Connect {
  const { authorization } = proxy;
  return (target, callback) => {
    const cancellation = new AbortController();
    const client = new Client(proxy.origin, { connect: connectToProxy, headersTimeout: 0 });
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
