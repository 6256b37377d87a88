import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

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

/** Encrypts contents for one purpose, as texts that replicas with the same secrets can open. */
export interface Sealer {
  /** The same content gives a different text each time. */
  seal(content: unknown): Promise<string>;
  /** Undefined for a text that was not sealed with any of the secrets, for this purpose. */
  open(text: string): Promise<unknown>;
}

/** The first secret encrypts, all decrypt, so that secrets can be rotated. */
export function createSealer(secrets: readonly string[], purpose: string, maxLength: number): Sealer {
  const keys = new Map(secrets.map((secret) => [keyId(secret), deriveKey(secret, purpose)]));
  const [kid, key] = [...keys][0] as [string, Uint8Array];

  return {
    seal: (content) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(content)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
        .encrypt(key),

    async open(text) {
      if (text.length > maxLength || !isCanonical(text)) return undefined;
      try {
        const { plaintext } = await compactDecrypt(
          text,
          (header) => {
            const known = keys.get(header.kid ?? '');
            if (!known) throw new TypeError('unknown key');
            return known;
          },
          { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
        );
        return JSON.parse(Buffer.from(plaintext).toString());
      } catch {
        // The reason would only help somebody who tries to forge a text.
        return undefined;
      }
    },
  };
}

// The last character of base64 has unused bits: without this check a text changed there would still open, and one content
// would have several texts.
const isCanonical = (text: string) =>
  text.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

/** Names a secret in the header of a text, without revealing it. */
const keyId = (secret: string) =>
  createHash('sha256').update(`kid ${secret}`).digest('base64url').slice(0, 8);
