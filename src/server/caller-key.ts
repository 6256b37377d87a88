import type { Caller } from './caller.ts';

/**
 * Names whom a share belongs to: a verified caller by issuer and subject, however many tokens it has. Anyone can make
 * up a token that nobody verifies, so callers who are not verified share by the address of their peer.
 */
export function callerKeyOf({ verified, peerAddress }: Pick<Caller, 'verified' | 'peerAddress'>): string {
  return verified ? JSON.stringify([verified.issuer, verified.subject]) : networkOf(peerAddress);
}

const mappedIpv4 = '::ffff:';
const groupsOfNetwork = 4;
const groupsOfIpv6 = 8;

/** The peer's IPv4 address, or its IPv6 network: the 64 bits behind that one host chooses for itself. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  if (address.startsWith(mappedIpv4) && address.includes('.')) return address.slice(mappedIpv4.length);
  const [before = '', after] = address.split('::');
  const [first, last] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const left = groupsOfIpv6 - (first?.length ?? 0) - (last?.length ?? 0);
  const zeros = Array<string>(after === undefined ? 0 : Math.max(left, 0)).fill('0');
  return [...(first ?? []), ...zeros, ...(last ?? [])].slice(0, groupsOfNetwork).join(':');
}
