import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

// Purposes, and what is signed under them, are wire formats: after a change the handles, cursors and webhook
// subscriptions that clients and upstreams hold would no longer be accepted.

/** A 256-bit key for one purpose (HKDF with SHA-256 and no salt, RFC 5869): no key of a secret reveals another. */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));

/** The HMAC-SHA-256 of a text in base64url, 43 characters long. */
export const computeMac = (key: string | Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/**
 * Whether a code is one of those expected. Takes the same time whichever it is, and wherever it differs; only its
 * length is compared first, which is no secret.
 */
export function matchesAny(code: string, expected: readonly string[]): boolean {
  const given = Buffer.from(code);
  return expected.map((one) => isEqualInConstantTime(given, Buffer.from(one))).includes(true);
}

const isEqualInConstantTime = (left: Buffer, right: Buffer): boolean =>
  left.length === right.length && timingSafeEqual(left, right);
