import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

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
  /** Returns a text of the alphabet of base64url. The same content gives a different one each time. */
  seal(content: unknown): string;
  /** Undefined for a text that was not sealed with any of the secrets, for this purpose. */
  open(text: string): unknown;
}

export interface SealerOptions {
  /** The first encrypts, all decrypt, so that secrets can be rotated. */
  readonly secrets: readonly string[];
  readonly purpose: string;
  /** How long a content may be as JSON, in bytes. A text of a longer one does not open. */
  readonly maxBytes: number;
  /** What contents often repeat, the most frequent last: it makes their texts shorter. It is part of the wire format. */
  readonly dictionary?: string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** A text is the base64url of nonce, ciphertext and tag (AES-256-GCM, NIST SP 800-38D) of compressed JSON. */
export function createSealer({ secrets, purpose, maxBytes, dictionary = '' }: SealerOptions): Sealer {
  const keys = secrets.map((secret) => deriveKey(secret, purpose));
  const compression = { level: 9, dictionary: Buffer.from(dictionary) };
  const maxLength = Math.ceil(((nonceBytes + maxBytes + tagBytes) * 4) / 3);

  const decrypt = (key: Buffer, sealed: Buffer): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  };

  return {
    seal(content) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', keys[0] as Buffer, nonce);
      const compressed = deflateRawSync(JSON.stringify(content), compression);
      const encrypted = [cipher.update(compressed), cipher.final()];
      return Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]).toString('base64url');
    },

    open(text) {
      if (text.length > maxLength) return undefined;
      const sealed = Buffer.from(text, 'base64url');
      // Only the canonical text opens: base64 has unused bits at its end, and decoding skips foreign characters.
      if (sealed.toString('base64url') !== text || sealed.length < nonceBytes + tagBytes) return undefined;
      for (const key of keys) {
        try {
          const content = inflateRawSync(decrypt(key, sealed), { ...compression, maxOutputLength: maxBytes });
          return JSON.parse(content.toString());
        } catch {
          // Sealed with another secret, or forged: the reason would only help who tries to forge a text.
        }
      }
      return undefined;
    },
  };
}
