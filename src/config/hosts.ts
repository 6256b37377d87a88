import { isIP, isIPv6 } from 'node:net';

const namePattern = /^[\p{L}\p{N}_-]{1,63}(\.[\p{L}\p{N}_-]{1,63})*\.?$/u;

// What is meant as a switch, where an address is expected.
const switches: ReadonlySet<string> = new Set(['on', 'off', 'true', 'false', 'yes', 'no', 'none', 'null']);

/**
 * Whether a text is an IP address, without brackets, or a host name. A name that ends in a number is none (URL standard):
 * neither `300.1.1.1`, nor `0`, which resolvers take for 0.0.0.0.
 */
export const isHost = (text: string): boolean =>
  isIP(text) !== 0 ||
  (text.length <= 253 &&
    namePattern.test(text) &&
    !/(^|\.)-|-(\.|$)/.test(text) &&
    !/(^|\.)(\d+|0x[\da-f]*)\.?$/i.test(text) &&
    !switches.has(text.toLowerCase()));

/** Whether a server that listens on one host takes the port of the other: they are the same, or one is all addresses. */
export const sharePorts = (one: string, other: string): boolean =>
  one === other || [one, other].includes('::') || isAllOfIpv4(one, other) || isAllOfIpv4(other, one);

const isAllOfIpv4 = (all: string, host: string) => all === '0.0.0.0' && !isIPv6(host);
