import { BlockList, isIP } from 'node:net';

export interface HttpProxy {
  readonly origin: string;
  /** The value of `proxy-authorization`; null without credentials. */
  readonly authorization: string | null;
}

/** The values of the environment variables of the same names. */
export interface ProxySettings {
  readonly httpsProxy: string | undefined;
  readonly httpProxy: string | undefined;
  /** Hosts that are reached without a proxy. */
  readonly noProxy: string | undefined;
}

/** Returns the proxy of a URL; null if it has none, as for loopback addresses. */
export type FindProxy = (url: string) => HttpProxy | null;

export function createFindProxy({ httpsProxy, httpProxy, noProxy = '' }: ProxySettings): FindProxy {
  const proxies = { 'https:': readProxy(httpsProxy), 'http:': readProxy(httpProxy) };
  const exceptions = noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .flatMap((entry) => parseProxyException(entry) ?? []);
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

/** Whether a host is reached without a proxy. Host and port are those of a `URL`, an IPv6 address without brackets. */
export type ProxyException = (host: string, port: string) => boolean;

/**
 * Parses an entry of `NO_PROXY` in lower case: `*`, a host with its subdomains, an address or a subnet; a host or
 * address may have a port. Null for an empty entry, and for one that matches no host, such as `10.0.0.0/33`, `10.*` or a URL.
 */
function parseProxyException(entry: string): ProxyException | null {
  if (entry === '*') return () => true;
  const [, address = '', bits] = /^([\d.]+|[\da-f:.]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const family = isIP(address);
  if (family !== 0) {
    if (Number(bits) > (family === 6 ? 128 : 32)) return null;
    const subnet = new BlockList();
    subnet.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
    return (host) => isListed(subnet, host);
  }
  const [, name = entry, only] = (isIP(entry) === 6 ? null : /^(.+):(\d{1,5})$/.exec(entry)) ?? [];
  const expected = name.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
  if (isIP(expected) === 0 && !/^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(expected)) return null;
  return (host, port) =>
    (only === undefined || only === port) && (host === expected || host.endsWith(`.${expected}`));
}

const isListed = (list: BlockList, host: string): boolean =>
  isIP(host) !== 0 && list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
