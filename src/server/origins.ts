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

/**
 * Whether a request names this machine as it is named from here. The page of a name that was made to lead here
 * (DNS rebinding) sends that name, and counts as one of the graph's own pages.
 */
export const isLocalHost = ({ host }: IncomingHttpHeaders): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host ?? '');
