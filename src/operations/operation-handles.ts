import { createHash } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { InputError } from '../errors.ts';
import { computeMac, deriveKey } from '../runtime/keyring.ts';

/** Handles of instance operations: encrypted texts that replicas with the same secrets can open. */
export interface OperationHandles {
  /** Encrypts what is needed to find an operation again. The same content gives a different handle each time. */
  seal(content: unknown): Promise<string>;
  /**
   * The topic on which replicas with these secrets share what a principal sees of an operation. The address cannot be
   * derived from it.
   */
  topicFor(principal: string, address: string): string;
  /** Decrypts a handle. Throws `InputError` for one that was not sealed with any of these secrets. */
  open(handle: string): Promise<unknown>;
}

// A status address may have 4 KB. Six texts of 1,024 characters, each escaped to at most six characters, have 36 KB;
// encryption and base64 add a third.
const maxHandleLength = 65_536;

/** The first secret encrypts, all decrypt, so that secrets can be rotated. */
export function createOperationHandles(secrets: readonly string[]): OperationHandles {
  const keys = new Map(secrets.map((secret) => [keyId(secret), deriveKey(secret, 'tributary handle')]));
  const [kid, key] = [...keys][0] as [string, Uint8Array];
  const topicKey = deriveKey(secrets[0] as string, 'tributary topic');

  return {
    seal: (content) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(content)))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
        .encrypt(key),

    topicFor: (principal, address) => computeMac(topicKey, JSON.stringify([principal, address])),

    async open(handle) {
      if (handle.length <= maxHandleLength && isCanonical(handle)) {
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
          // The reason would only help somebody who tries to forge a handle.
        }
      }
      throw new InputError(
        '`id` is not the handle of an operation: use the `id` that the mutation returned.',
      );
    },
  };
}

// The last character of base64 has unused bits: without this check a handle changed there would still open, and one
// operation would have several handles.
const isCanonical = (handle: string) =>
  handle.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

/** Names a secret in the header of a handle, without revealing it. */
const keyId = (secret: string) =>
  createHash('sha256').update(`kid ${secret}`).digest('base64url').slice(0, 8);
