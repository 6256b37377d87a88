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
