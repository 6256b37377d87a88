import { createHash } from 'node:crypto';
import { InputError } from '../errors.ts';
import { computeMac, deriveKey, matchesAny } from '../runtime/keyring.ts';

/** A position in a list: an upstream page, and the number of its rows before the position. */
export interface CursorPosition {
  /** The query parameters of the upstream's next link; null for the first page. */
  readonly page: string | null;
  readonly offset: number;
  /** A digest of the selection of the first page, if later pages depend on it. */
  readonly selectionDigest?: string | undefined;
}

export interface CursorCodec {
  /** `scope` identifies the list: a cursor decodes only with the scope it was encoded with. */
  encode(scope: string, position: CursorPosition): string;
  /** Throws an `InputError` unless the cursor was encoded by this deployment for this scope. */
  decode(scope: string, cursor: string): CursorPosition;
}

/**
 * Creates a codec whose cursors have an HMAC. The first secret signs and every secret verifies, so that secrets can rotate.
 *
 * The HMAC covers the base64 text, not the decoded bytes: base64 has unused bits, whose change would not be detected.
 */
export function createCursorCodec(secrets: readonly string[]): CursorCodec {
  const keys = secrets.map((secret) => deriveKey(secret, 'tributary cursor'));
  const computeSignature = (key: Buffer, scope: string, text: string) =>
    computeMac(key, `${scope}\n${text}`).slice(0, 22);

  return {
    encode(scope, { page, offset, selectionDigest }) {
      const position = selectionDigest === undefined ? [offset, page] : [offset, page, selectionDigest];
      const text = Buffer.from(JSON.stringify(position)).toString('base64url');
      return `${text}.${computeSignature(keys[0] as Buffer, scope, text)}`;
    },

    decode(scope, cursor) {
      const [text = '', signature = '', ...rest] = cursor.split('.');
      const expected = keys.map((key) => computeSignature(key, scope, text));
      if (!matchesAny(signature, expected) || rest.length > 0) {
        throw new InputError(
          '`after` is not a cursor of this list: use one from an earlier page, with the same arguments.',
        );
      }
      const [offset, page, selectionDigest] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [
        number,
        string | null,
        string?,
      ];
      return { page, offset, selectionDigest };
    },
  };
}

/** Digests everything that determines the rows of a list and their order. */
export function deriveCursorScope(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}
