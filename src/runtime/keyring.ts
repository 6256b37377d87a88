import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

// Purposes and the texts signed under them are wire formats: a change would invalidate the handles, cursors and webhook
// subscriptions that clients and upstreams hold.

/** Derives a 256-bit key for one purpose (HKDF with SHA-256 and no salt, RFC 5869). No derived key reveals another. */
export const deriveKey = (secret: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));

/** Computes the HMAC-SHA-256 of a text in base64url, 43 characters long. */
export const computeMac = (key: string | Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');

/**
 * Whether `code` is one of the `expected` codes, compared in constant time. Only its length, which is no secret, affects
 * the time.
 */
export function matchesAny(code: string, expected: readonly string[]): boolean {
  const given = Buffer.from(code);
  const matches = expected
    .map((text) => Buffer.from(text))
    .map((buffer) => buffer.length === given.length && timingSafeEqual(buffer, given));
  return matches.includes(true);
}

/** Encrypts content for one purpose. Replicas with the same secrets can decrypt it. */
export interface Sealer {
  /** Returns base64url text, which differs each time for the same content. */
  seal(content: unknown): string;
  /** Returns undefined if the text was not sealed with one of the secrets for this purpose. */
  open(text: string): unknown;
}

export interface SealerOptions {
  /** The first secret encrypts, all decrypt, so that secrets can be rotated. */
  readonly secrets: readonly string[];
  readonly purpose: string;
  /** The longest content that can be opened, in bytes of JSON. */
  readonly maxBytes: number;
  /** Compression dictionary: strings that content often repeats, the most frequent last. Part of the wire format. */
  readonly dictionary?: string;
}

const nonceBytes = 12;
const tagBytes = 16;

/** Sealed text is the base64url of nonce, ciphertext and tag (AES-256-GCM, NIST SP 800-38D) of compressed JSON. */
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
      // Accept canonical base64url only: its last bits are unused, and decoding skips foreign characters.
      if (sealed.toString('base64url') !== text || sealed.length < nonceBytes + tagBytes) return undefined;
      for (const key of keys) {
        try {
          const content = inflateRawSync(decrypt(key, sealed), { ...compression, maxOutputLength: maxBytes });
          return JSON.parse(content.toString());
        } catch {
          // Sealed with another secret, or forged. The reason is not reported: it would help to forge a text.
        }
      }
      return undefined;
    },
  };
}
