import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Decides by the headers that browsers set which pages may use the GraphQL API. */
export interface OriginCheck {
  /**
   * False for cross-site requests (`sec-fetch-site`), unless the origin is allowed. A GET in `no-cors` mode has no
   * `origin`: only this header distinguishes it from the GET of a non-browser client.
   */
  isSameSite(headers: IncomingHttpHeaders): boolean;
  /**
   * Also requires that an `origin`, if present, is the server's own or allowed, since browsers open WebSockets and event
   * streams without a preflight.
   */
  isAllowed(headers: IncomingHttpHeaders): boolean;
}

interface OriginCheckOptions {
  readonly origins: readonly string[];
  /** The server's own origin for browsers, if a proxy changes `host`. */
  readonly publicOrigin: string | null;
}

export function createOriginCheck({ origins, publicOrigin }: OriginCheckOptions): OriginCheck {
  const named = new Set([...origins, publicOrigin]);
  const isNamed = ({ origin }: IncomingHttpHeaders) => origin !== undefined && named.has(origin);
  const isSameSite: OriginCheck['isSameSite'] = (headers) =>
    headers['sec-fetch-site'] !== 'cross-site' || isNamed(headers);
  return {
    isSameSite,
    isAllowed(headers) {
      const { origin, host } = headers;
      if (!isSameSite(headers)) return false;
      if (origin === undefined || isNamed(headers)) return true;
      return URL.canParse(origin) && origin !== 'null' && new URL(origin).host === host;
    },
  };
}

/** Headers that need a preflight if not empty, so that a page of another site cannot send them in a simple request. */
export const preflightedHeaders = ['apollo-require-preflight', 'x-apollo-operation-name', 'authorization'];

/**
 * Whether a GET cannot be a cross-origin request without a preflight. `content-type: application/json` requires a
 * preflight, too. `EventSource` cannot set headers, but browsers set `sec-fetch-site`, which pages cannot.
 */
export const isPreflightedGet = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  headers['content-type']?.startsWith('application/json') === true ||
  preflightedHeaders.some((name) => headers[name]) ||
  headers['sec-fetch-site'] === 'same-origin';

export const invalidHost = 'The request must have one `host` header, with one valid host.';

export const originNotAllowed = 'Pages of this origin may not use this server (CORS_ORIGINS).';

/**
 * Whether a request has exactly one `host` header (RFC 9112 §3.2; HTTP/1.0 does not require one). Of several, Node.js
 * uses the first, but a proxy may have used the last.
 */
export function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts === 1;
}

/**
 * Whether `host` is a loopback name or address. Prevents DNS rebinding, in which a page of another site sends its own
 * host name and would pass as same-origin.
 */
export const isLocalHost = ({ host }: IncomingHttpHeaders): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '');
