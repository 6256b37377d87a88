import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Which pages may use the graph, by what browsers say of the page that sends a request. */
export interface OriginCheck {
  /**
   * False where the browser says that a page of another site sends the request (`sec-fetch-site`), unless the page's
   * origin is named. A GET in the mode `no-cors` has no `origin`, so that header alone tells it from a client's.
   */
  isSameSite(headers: IncomingHttpHeaders): boolean;
  /**
   * The same, and true only for requests of no page, of this server's own pages and of named origins: browsers open
   * WebSockets and event streams without a preflight.
   */
  isAllowed(headers: IncomingHttpHeaders): boolean;
}

export function createOriginCheck(origins: readonly string[]): OriginCheck {
  const named = new Set(origins);
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

/**
 * Whether no page of another origin can send this GET without a preflight: `content-type: application/json` and
 * Apollo's headers force one, and pages cannot set `sec-fetch-site`. `EventSource` cannot set any header itself.
 */
export const isMeantGet = ({ headers }: { readonly headers: IncomingHttpHeaders }): boolean =>
  headers['content-type']?.startsWith('application/json') === true ||
  Boolean(headers['apollo-require-preflight'] || headers['x-apollo-operation-name']) ||
  headers['sec-fetch-site'] === 'same-origin';

/** What is said of a request that does not name its server. */
export const wrongHost = 'The header `host` must name one host, once.';

/** What a page is told that may not use the graph. */
export const otherOrigin = 'Pages of this origin may not use the graph (CORS_ORIGINS).';

/**
 * Whether a request has more than one `host` (RFC 9112 §3.2). Node keeps the first, a proxy on the way may have gone by
 * the last: they would speak of two servers.
 */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/**
 * Whether a request names this machine as it is named from here. The page of a name that was made to lead here
 * (DNS rebinding) sends that name, and counts as one of the graph's own pages.
 */
export const isLocalHost = ({ host }: IncomingHttpHeaders): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '');
