import type { ApiResponse } from '../http.ts';
import { emptyResponse } from '../http.ts';

/** Headers of responses to browsers that contain secrets or depend on them. */
export const secretResponseHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** True for a valid redirect address: on this machine, with any port, without a user or a fragment. */
export function isRedirectAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && isLoopbackUrl(url) && !url.username && !url.password && !text.includes('#');
}

/** True for the origin of a page on this machine. Only such pages may read responses. */
export function isLoopbackOrigin(origin: string | undefined): origin is string {
  return (
    origin !== undefined &&
    URL.canParse(origin) &&
    isLoopbackUrl(new URL(origin)) &&
    new URL(origin).origin === origin
  );
}

/** Redirects to an address with parameters in its query or fragment. */
export function redirectTo(
  address: string,
  parameters: Readonly<Record<string, string>>,
  isInFragment: boolean,
): ApiResponse {
  const { href } = new URL(address);
  const mark = isInFragment ? '#' : href.includes('?') ? '&' : '?';
  return emptyResponse(302, {
    location: href + mark + new URLSearchParams(parameters),
    ...secretResponseHeaders,
  });
}

function isLoopbackUrl({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
