import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readBearerToken } from '../http/auth/bearer.ts';

/**
 * Tokens sent by a caller. Requests with the same ones share one object, on all connections, so that what is derived from
 * them is computed once and kept in a `WeakMap`.
 */
export interface CallerTokens {
  readonly business: string | null;
  readonly management: string | null;
}

/** Returns the tokens of the two headers, which may be the same one. */
export type ReadTokens = (authorization: string | undefined, management: string | undefined) => CallerTokens;

// Of all tokens kept, a byte for each character. Tokens have 1,000 to 2,000.
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
    const [one, other] = [authorization.trim(), management.trim()];
    // The length shows where the first header ends; equal ones are digested once.
    const headers = one === other ? `=\n${one}` : `${one.length}\n${one}${other}`;
    const key = hash('sha256', headers, 'base64url');
    const known = recent.get(key);
    if (known) return known;
    const tokens = { business: readBearerToken(one), management: readBearerToken(other) };
    recent.set(key, tokens);
    return tokens;
  };
}

const digests = new WeakMap<CallerTokens, string>();

/** Identifies tokens without revealing them. Computed once per object. */
export function digestTokens(tokens: CallerTokens): string {
  const known = digests.get(tokens);
  if (known !== undefined) return known;
  const digest = hash('sha256', JSON.stringify([tokens.business, tokens.management]), 'base64url');
  digests.set(tokens, digest);
  return digest;
}

/** Returns the key of a verified caller: issuer and subject, whatever token it uses. */
export const keyOfIdentity = (issuer: string, subject: string): string => JSON.stringify([issuer, subject]);

const mappedIpv4 = '::ffff:';
const groupsOfNetwork = 4;
const groupsOfIpv6 = 8;

/**
 * Returns the key of an unverified caller, which is its peer's network since anyone can invent a token: an IPv4
 * address, or the /64 network of an IPv6 address, since one host chooses the other 64 bits.
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
