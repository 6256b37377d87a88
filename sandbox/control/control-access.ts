import { ApiError } from '../api-error.ts';
import type { ApiRequest } from '../http.ts';

/**
 * Throws an `ApiError` unless a request of the control API may change everything: it must come from this machine, and
 * if a page sent it, from a page of the sandbox.
 */
export function checkControlAccess(request: ApiRequest, remoteAddress: string | undefined): void {
  if (!isLoopbackAddress(remoteAddress)) throw refusal('accepts requests from this machine only');
  // A page of another host that a name server sends here (DNS rebinding) has the host's name in its requests.
  const { host } = request.headers;
  if (host !== undefined && !isLocalHost(host))
    throw refusal('is available as localhost and by an IP address only');
  if (isOfOtherPage(request)) throw refusal('accepts no requests of pages of other origins');
}

const refusal = (rule: string) => new ApiError(403, 'Forbidden', `The control API ${rule}.`);

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);
}

/** True for IP addresses, which no name server decides, and for names that are always this machine (RFC 6761, section 6.3). */
function isLocalHost(host: string): boolean {
  return /^(?:(?:[\w-]+\.)*localhost|\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])(?::\d+)?$/i.test(host);
}

/** Programs send none of these headers. A link to a GET, which changes nothing, may be on any page. */
function isOfOtherPage({ method, headers }: ApiRequest): boolean {
  const { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (method === 'GET' && mode === 'navigate') return false;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && origin !== `http://${host}`;
}
