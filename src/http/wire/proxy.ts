import { BlockList } from 'node:net';
import { isListed, parseProxyException, splitNoProxy } from './proxy-exceptions.ts';

/** An HTTP proxy. */
export interface HttpProxy {
  readonly origin: string;
  /** The value of `proxy-authorization`; null without credentials. */
  readonly authorization: string | null;
}

/** The proxies of a process, as the environment variables of the same names have them. */
export interface ProxySettings {
  readonly httpsProxy: string | undefined;
  readonly httpProxy: string | undefined;
  /** Hosts that are reached without a proxy. */
  readonly noProxy: string | undefined;
}

/** Returns the proxy through which a URL is reached; null for none. Loopback addresses have none. */
export type FindProxy = (url: string) => HttpProxy | null;

export function createFindProxy({ httpsProxy, httpProxy, noProxy = '' }: ProxySettings): FindProxy {
  const proxies = { 'https:': readProxy(httpsProxy), 'http:': readProxy(httpProxy) };
  const exceptions = splitNoProxy(noProxy).flatMap((entry) => parseProxyException(entry) ?? []);
  return (text) => {
    const url = new URL(text);
    const proxy = proxies[url.protocol as keyof typeof proxies];
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return proxy && !isLoopback(host) && !exceptions.some((matches) => matches(host, port)) ? proxy : null;
  };
}

function readProxy(text: string | undefined): HttpProxy | null {
  if (text === undefined) return null;
  const { origin, username, password } = new URL(text);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  return { origin, authorization: username === '' ? null : authorization };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const isLoopback = (host: string) => /^(.*\.)?localhost$/.test(host) || isListed(loopback, host);
