import { leavesBase } from '../../http/path-segment.ts';
import type { ResponseHeaders } from '../../http/response.ts';

// Services of this kind require clients to accept at least 4 KB. A longer address would not fit into a handle.
const maxAddressLength = 4096;

/** Where the status of an operation is read. Handles contain it, so the names of these fields cannot change. */
export interface StatusAddress {
  /** Path and query below the management address, byte for byte. */
  readonly path: string;
  /**
   * True where the header `Location` named it: the upstream responds there with the result of the action, and with 202
   * until then. Any other address returns the status.
   */
  readonly isResult: boolean;
}

/**
 * Finds the status address in the headers of a response; null where they name none.
 *
 * `<vendor>-AsyncOperation` takes precedence over `Location`. The host that a header names is removed: the address is
 * read from the configured upstream only, because the caller's token is sent with it.
 */
export function findStatusAddress(headers: ResponseHeaders, managementUrl: string): StatusAddress | null {
  const named = Object.keys(headers).filter((name) => name.toLowerCase().endsWith('-asyncoperation'));
  for (const name of [...named, 'location']) {
    // A header that occurs twice is an array, or was joined by an intermediary: no address contains a blank.
    const values = [headers[name] ?? []].flat().flatMap((value) => value.split(/,\s+/));
    const paths = orderByHost(values, managementUrl);
    const path = paths.map((value) => toLocalPath(value, managementUrl)).find((local) => local !== null);
    if (path) return { path, isResult: name === 'location' };
  }
  return null;
}

/** Path and query of a status read: the address unchanged, with the `api-version` setting where it has no query. */
export const buildStatusPath = ({ path }: StatusAddress, apiVersion: string): string =>
  /\?./.test(path) ? path : `${path.replace('?', '')}?api-version=${encodeURIComponent(apiVersion)}`;

/** Sorts addresses of the configured host, or without a host, first: of several, the others may be for other clients. */
function orderByHost(values: readonly string[], managementUrl: string): readonly string[] {
  const { host } = new URL(managementUrl);
  const isOurs = (value: string) =>
    URL.canParse(value, managementUrl) && new URL(value, managementUrl).host === host;
  return [...values.filter(isOurs), ...values.filter((value) => !isOurs(value))];
}

function toLocalPath(value: string, managementUrl: string): string | null {
  if (value.length > maxAddressLength || !/^[\x21-\x7e]+$/.test(value)) return null;
  const local = value.replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/?#]*/i, '').replace(/#.*$/, '');
  if (local === '') return null;
  const rooted = local.startsWith('/') ? local : `/${local}`;
  const prefix = new URL(managementUrl).pathname.replace(/\/$/, '');
  const path = prefix !== '' && rooted.startsWith(`${prefix}/`) ? rooted.slice(prefix.length) : rooted;
  return leavesBase(path) ? null : path;
}
