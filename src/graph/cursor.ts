import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { InputError } from '../errors.ts';

/** A place in a list: which upstream page, and how many of its rows are behind it. */
export interface Position {
  /** The continuation's query parameters as the upstream gave them, or null for the first page. */
  readonly page: string | null;
  readonly offset: number;
}

export interface Cursors {
  /** `scope` names the list: a cursor opens only with the scope it was sealed with. */
  seal(scope: string, position: Position): string;
  /** Throws `InputError` for anything this layer did not seal for this very list. */
  open(scope: string, cursor: string): Position;
}

/**
 * Authenticated cursors. The first secret seals, every secret opens, so that secrets can rotate.
 *
 * The code covers the cursor's text, not the bytes it stands for: base64 has spare bits, and a cursor
 * edited there would otherwise pass.
 */
export function createCursors(secrets: readonly string[]): Cursors {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'tributary cursor', 32)));
  const codeOf = (key: Buffer, scope: string, text: string) =>
    createHmac('sha256', key).update(`${scope}\n${text}`).digest('base64url').slice(0, 22);

  return {
    seal(scope, { page, offset }) {
      const text = Buffer.from(JSON.stringify([offset, page])).toString('base64url');
      return `${text}.${codeOf(keys[0] as Buffer, scope, text)}`;
    },

    open(scope, cursor) {
      const [text = '', code = '', ...rest] = cursor.split('.');
      const given = Buffer.from(code);
      const isOurs = keys.some((key) => {
        const expected = Buffer.from(codeOf(key, scope, text));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      if (!isOurs || rest.length > 0) {
        throw new InputError(
          '`after` is not a cursor of this list: use one from an earlier page, with the same arguments.',
        );
      }
      const [offset, page] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [number, string | null];
      return { page, offset };
    },
  };
}

// A code, a point, and as many digits as an offset has, each byte of text in one and a third characters.
const bytesOfCode = 45;

/** How long a cursor for a place in this page is at most, about. */
export const cursorBytesFor = ({ page }: Pick<Position, 'page'>): number =>
  bytesOfCode + (4 / 3) * (page === null ? 0 : Buffer.byteLength(JSON.stringify(page)));

/** A short name for a list, made of everything that decides which rows it has and in which order. */
export function scopeOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}
