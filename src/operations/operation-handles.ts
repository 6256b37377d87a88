import { InputError } from '../errors.ts';
import { computeMac, deriveKey } from '../runtime/keyring.ts';
import { createSealer } from '../runtime/sealing.ts';

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
  const sealer = createSealer(secrets, 'tributary handle', maxHandleLength);
  const topicKey = deriveKey(secrets[0] as string, 'tributary topic');

  return {
    seal: sealer.seal,
    topicFor: (principal, address) => computeMac(topicKey, JSON.stringify([principal, address])),
    async open(handle) {
      const content = await sealer.open(handle);
      if (content !== undefined) return content;
      throw new InputError(
        '`id` is not the handle of an operation: use the `id` that the mutation returned.',
      );
    },
  };
}
