import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Which pages may use the GraphQL API, judged by the headers that browsers set. */
export interface OriginCheck {
  /**
   * False for cross-site requests (`sec-fetch-site`), unless the origin is allowed. In `no-cors` mode a GET
   * has no `origin`, so only this header distinguishes it from a non-browser client's.
   */
  isSameSite(headers: IncomingHttpHeaders): boolean;
  /**
   * Also requires that an `origin`, if present, is the server's own or allowed: browsers open WebSockets and
   * event streams without a preflight.
   */
  isAllowed(headers: IncomingHttpHeaders): boolean;
}

interface OriginCheckOptions {
  /** Origins of other pages that are allowed. */
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

/** A request with one of these, not empty, needs a preflight: no page of another site can send it as a simple request. */
export const preflightedHeaders = ['apollo-require-preflight', 'x-apollo-operation-name', 'authorization'];

/**
 * Whether a GET could not have been sent cross-origin without a preflight. `content-type: application/json`
 * requires one, too, and pages cannot set `sec-fetch-site`. `EventSource` cannot set headers.
 */
export const isPreflightedGet = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  headers['content-type']?.startsWith('application/json') === true ||
  preflightedHeaders.some((name) => headers[name]) ||
  headers['sec-fetch-site'] === 'same-origin';

/** Message for an invalid `host` header. */
export const invalidHost = 'The request must have one `host` header, with one valid host.';

/** Message for pages that may not use the GraphQL API. */
export const originNotAllowed = 'Pages of this origin may not use this server (CORS_ORIGINS).';

/**
 * Whether a request has exactly one `host` header (RFC 9112 §3.2), which HTTP/1.0 does not require. Of several, Node uses
 * the first; a proxy may have used the last, for another server.
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
 * Whether `host` is a loopback name or address. With DNS rebinding, a foreign page sends its own name here,
 * and would otherwise pass as same-origin.
 */
export const isLocalHost = ({ host }: IncomingHttpHeaders): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '');
