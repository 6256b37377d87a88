import type { Answer } from '../http.ts';
import { empty } from '../http.ts';

/** Of all answers to a browser that hold, or are about, something secret. */
export const guarded = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** Where a sign-in may lead: an address on this machine, on any port, without a user or a fragment. */
export function isRedirectAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && isLoopback(url) && !url.username && !url.password && !text.includes('#');
}

/** A page on this machine, which alone may read what a browser is answered. */
export function isLoopbackOrigin(origin: string | undefined): origin is string {
  return (
    origin !== undefined &&
    URL.canParse(origin) &&
    isLoopback(new URL(origin)) &&
    new URL(origin).origin === origin
  );
}

/** Leads a browser to an address with parameters, in its query or in its fragment. */
export function redirectTo(
  address: string,
  parameters: Readonly<Record<string, string>>,
  isInFragment: boolean,
): Answer {
  const { href } = new URL(address);
  const mark = isInFragment ? '#' : href.includes('?') ? '&' : '?';
  return empty(302, { location: href + mark + new URLSearchParams(parameters), ...guarded });
}

function isLoopback({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
