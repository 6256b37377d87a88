import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { InputError } from '../errors.ts';

export interface Handles {
  /** Seals what is needed to find an operation again into an opaque text. Two sealings never look alike. */
  seal(content: unknown): Promise<string>;
  /**
   * The name under which replicas with these secrets share what a principal sees of an operation. It gives the
   * address not back.
   */
  topicOf(principal: string, address: string): string;
  /** What was sealed. Throws `InputError` for anything no replica with these secrets has sealed. */
  open(handle: string): Promise<unknown>;
}

// A status address may have 4 KB. Six texts of 1,024 characters, escaped at worst six-fold, have 36 KB; what is
// sealed comes out a third longer.
const maxLength = 65_536;

/** Encrypted handles. The first secret encrypts, every secret decrypts, so that secrets can rotate. */
export function createHandles(secrets: readonly string[]): Handles {
  const keys = new Map(secrets.map((secret) => [keyId(secret), keyOf(secret)]));
  const [kid, key] = [...keys][0] as [string, Uint8Array];
  const topicKey = derive(secrets[0] as string, 'tributary topic');

  return {
    seal: (content) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(content)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
        .encrypt(key),

    topicOf: (principal, address) =>
      createHmac('sha256', topicKey)
        .update(JSON.stringify([principal, address]))
        .digest('base64url'),

    async open(handle) {
      if (handle.length <= maxLength && isCanonical(handle)) {
        try {
          const { plaintext } = await compactDecrypt(
            handle,
            (header) => {
              const known = keys.get(header.kid ?? '');
              if (!known) throw new TypeError('unknown key');
              return known;
            },
            { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
          );
          return JSON.parse(Buffer.from(plaintext).toString());
        } catch {
          // Why it does not open is of use only to somebody who tries to forge one.
        }
      }
      throw new InputError('`id` is not the handle of an operation: use the one that starting it gave.');
    },
  };
}

// Base64 has spare bits: without this, a handle edited there would open, and name the same thing twice.
const isCanonical = (handle: string) =>
  handle.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

const derive = (secret: string, purpose: string) =>
  new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
const keyOf = (secret: string) => derive(secret, 'tributary handle');
const keyId = (secret: string) =>
  createHash('sha256').update(`kid ${secret}`).digest('base64url').slice(0, 8);
