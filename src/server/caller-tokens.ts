import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readBearerToken } from '../http/auth/bearer.ts';
import { getOrCompute } from '../runtime/memo.ts';

/**
 * The tokens of a caller. Requests with equal tokens share one object, on all connections, so that derived values are
 * computed once and kept in a `WeakMap`.
 */
export interface CallerTokens {
  readonly business: string | null;
  readonly management: string | null;
}

/** Returns the tokens of the two headers, which may be the same one. */
export type ReadTokens = (authorization: string | undefined, management: string | undefined) => CallerTokens;

// Limits all tokens together, one byte per character. A token has 1,000 to 2,000 characters.
const maxBytes = 16 * 1024 * 1024;
const bytesOfEntry = 200;

/** Keeps the tokens of recent requests in memory, under a digest of their headers. */
export function createTokenReader(): ReadTokens {
  const recent = new LRUCache<string, CallerTokens>({
    maxSize: maxBytes,
    sizeCalculation: ({ business, management }) =>
      bytesOfEntry + (business?.length ?? 0) + (management?.length ?? 0),
  });

  return (authorization = '', management = '') => {
    const [business, managed] = [authorization.trim(), management.trim()];
    // The length marks the end of the first header. Equal headers are hashed once.
    const headers = business === managed ? `=\n${business}` : `${business.length}\n${business}${managed}`;
    const key = hash('sha256', headers, 'base64url');
    return getOrCompute<string, CallerTokens>(recent, key, () => ({
      business: readBearerToken(business),
      management: readBearerToken(managed),
    }));
  };
}

const digests = new WeakMap<CallerTokens, string>();

/** Identifies tokens without revealing them. Computed once per object. */
export const digestTokens = (tokens: CallerTokens): string =>
  getOrCompute(digests, tokens, () =>
    hash('sha256', JSON.stringify([tokens.business, tokens.management]), 'base64url'),
  );

/** Returns the key of a verified caller: issuer and subject, equal for all of its tokens. */
export const keyOfIdentity = (issuer: string, subject: string): string => JSON.stringify([issuer, subject]);

const mappedIpv4 = '::ffff:';
const groupsOfNetwork = 4;
const groupsOfIpv6 = 8;

/**
 * Returns the key of an unverified caller. It is the peer's network, since anyone can invent a token: an IPv4 address,
 * or the /64 network of an IPv6 address, whose other 64 bits the host chooses.
 */
export function keyOfPeer(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith(mappedIpv4) && address.includes('.')) return address.slice(mappedIpv4.length);
  const [before = '', after] = address.split('::');
  const [first, last] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const left = groupsOfIpv6 - (first?.length ?? 0) - (last?.length ?? 0);
  const zeros = Array<string>(after === undefined ? 0 : Math.max(left, 0)).fill('0');
  return [...(first ?? []), ...zeros, ...(last ?? [])].slice(0, groupsOfNetwork).join(':');
}
