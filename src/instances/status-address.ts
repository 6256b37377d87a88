import type { Headers } from '../upstream/answer.ts';

// Services of this kind ask clients to take at least 4 KB. A longer one would not fit a handle.
const maxLength = 4096;

/** Where an operation is to be asked about. */
export interface StatusAddress {
  /** Path and query below the management address, byte for byte. */
  readonly path: string;
  /**
   * True where `Location` named it: asked there, the upstream answers as the request itself would have been
   * answered, and 202 until then. Other addresses always tell the status.
   */
  readonly isResult: boolean;
}

/**
 * Where an answer's headers say to ask how an operation stands, or null.
 *
 * `<vendor>-AsyncOperation` goes before `Location`. Whatever host a header names is cut off: the address is
 * only ever asked of the configured upstream, because the caller's token goes with it.
 */
export function statusAddressOf(headers: Headers, managementUrl: string): StatusAddress | null {
  const named = Object.keys(headers).filter((name) => name.toLowerCase().endsWith('-asyncoperation'));
  for (const name of [...named, 'location']) {
    const path = localPart(headers[name], managementUrl);
    if (path !== null) return { path, isResult: name === 'location' };
  }
  return null;
}

function localPart(value: Headers[string], managementUrl: string): string | null {
  if (typeof value !== 'string' || value.length > maxLength || !/^[\x21-\x7e]+$/.test(value)) return null;
  const local = value.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  if (local === '') return null;
  const rooted = local.startsWith('/') ? local : `/${local}`;
  const prefix = new URL(managementUrl).pathname.replace(/\/$/, '');
  return prefix !== '' && rooted.startsWith(`${prefix}/`) ? rooted.slice(prefix.length) : rooted;
}
