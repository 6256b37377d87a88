import type { Headers } from '../upstream/answer.ts';

// Services of this kind ask clients to take at least 4 KB. A longer one would not fit a handle.
const maxLength = 4096;

/**
 * Where to ask how an operation stands: path and query below the management address, byte for byte, or null.
 *
 * `<vendor>-AsyncOperation` goes before `Location`. Whatever host a header names is cut off: the address is
 * only ever asked of the configured upstream, because the caller's token goes with it.
 */
export function statusAddressOf(headers: Headers, managementUrl: string): string | null {
  const name = Object.keys(headers).find((header) => header.toLowerCase().endsWith('-asyncoperation'));
  const value = (name && headers[name]) || headers.location;
  if (typeof value !== 'string' || value.length > maxLength || !/^[\x21-\x7e]+$/.test(value)) return null;
  const local = value.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  if (local === '') return null;
  const rooted = local.startsWith('/') ? local : `/${local}`;
  const prefix = new URL(managementUrl).pathname.replace(/\/$/, '');
  return prefix !== '' && rooted.startsWith(`${prefix}/`) ? rooted.slice(prefix.length) : rooted;
}
