import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a page that sends such a request may be answered: requests of no page at all, of this layer's own pages,
 * and of the origins that are named. Browsers send WebSockets and event streams to any host without asking first.
 */
export function createOriginCheck(origins: readonly string[]): (headers: IncomingHttpHeaders) => boolean {
  const allowed = new Set(origins);
  return ({ origin, host }) => {
    if (origin === undefined || allowed.has(origin)) return true;
    return URL.canParse(origin) && origin !== 'null' && new URL(origin).host === host;
  };
}
