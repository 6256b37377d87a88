import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { deriveKey } from './keyring.ts';

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
