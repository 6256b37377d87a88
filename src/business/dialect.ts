/**
 * How an upstream of area A speaks where the source document leaves it open or is not followed by the real
 * service (docs/upstream.md, BUSINESS_DIALECT).
 */
export interface Dialect {
  readonly name: 'document' | 'dynamics';
  /** A word of a choice as filters and bodies carry it. Words are read in either form. */
  encodeWord(word: string): string;
  /** Whether a filter may join conditions on different fields by `or`. */
  readonly joinsFieldsByOr: boolean;
  /** Whether a filter may negate a text function. */
  readonly negatesFunctions: boolean;
  /** Whether the answer to a create can be asked to bring other records along by `$expand`. */
  readonly expandsCreated: boolean;
  /** What a read carries to see every write answered before it, replicas or not. */
  readonly primaryRead: Readonly<Record<string, string>>;
}

const dialects: Readonly<Record<Dialect['name'], Dialect>> = {
  document: {
    name: 'document',
    encodeWord: (word) => word,
    joinsFieldsByOr: true,
    negatesFunctions: true,
    expandsCreated: false,
    primaryRead: {},
  },
  dynamics: {
    name: 'dynamics',
    encodeWord: encodeName,
    joinsFieldsByOr: false,
    negatesFunctions: false,
    expandsCreated: true,
    primaryRead: { 'data-access-intent': 'ReadWrite' },
  },
};

const plain: Readonly<Record<Dialect['name'], Dialect>> = {
  document: dialects.document,
  dynamics: { ...dialects.dynamics, encodeWord: dialects.document.encodeWord },
};

/** The same dialect where words travel as people write them: the v1.0 shape has them plain everywhere. */
export const withPlainWords = ({ name }: Dialect): Dialect => plain[name];

export const dialectOf = (name: Dialect['name']): Dialect => dialects[name];

// XML names: every character that cannot stand in one becomes `_x` and its four hexadecimal digits.
function encodeName(word: string): string {
  return word.replace(
    /[^\p{L}\p{N}_.]/gu,
    (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
}

/** A word as people write it, whether it came plain or as an XML name. */
export function decodeWord(word: string): string {
  if (!word.includes('_x')) return word;
  return word.replace(/_x([0-9A-Fa-f]{4})_/g, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
