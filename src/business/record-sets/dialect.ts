/**
 * The differences between upstreams of area A: what the source document leaves open, and where the real service deviates
 * from it (docs/dialects.md).
 */
export interface Dialect {
  readonly name: 'document' | 'dynamics';
  /** Encodes a word of a choice for filters and bodies; both forms are accepted in responses. */
  encodeWord(word: string): string;
  /** Whether a filter may join conditions on different fields by `or`. */
  readonly supportsOrAcrossFields: boolean;
  /** Whether a filter may negate a text function. */
  readonly supportsNegatedFunctions: boolean;
  /** Whether items can also be read in the v1.0 shape. */
  readonly hasItemV1: boolean;
  /** Whether a create accepts `$expand`, so that its response includes related records. */
  readonly supportsExpandOnCreate: boolean;
}

/** Maximum length of a word that a caller gives, in UTF-16 code units: longer than any choice. */
export const maxWordLength = 250;

const dialects: Readonly<Record<Dialect['name'], Dialect>> = {
  document: {
    name: 'document',
    encodeWord: (word) => word,
    supportsOrAcrossFields: true,
    supportsNegatedFunctions: true,
    hasItemV1: true,
    supportsExpandOnCreate: false,
  },
  dynamics: {
    name: 'dynamics',
    encodeWord: encodeXmlName,
    supportsOrAcrossFields: false,
    supportsNegatedFunctions: false,
    hasItemV1: true,
    supportsExpandOnCreate: true,
  },
};

/** Headers that make the real service read from its primary, so that the read sees every earlier write. */
export const primaryReadHeaders: Readonly<Record<string, string>> = { 'data-access-intent': 'ReadWrite' };

/** The dialect for the API v1.0, which has no XML-name encoding. */
export const withPlainWords = (dialect: Dialect): Dialect => ({ ...dialect, encodeWord: (word) => word });

export const getDialect = (name: Dialect['name'], { hasItemV1 = true } = {}): Dialect =>
  hasItemV1 ? dialects[name] : { ...dialects[name], hasItemV1 };

// .NET's `XmlConvert.EncodeLocalName`: a character that is not allowed in its place becomes `_x`, its code point in four or
// eight hexadecimal digits, and `_`. A `_` that would begin such a code is encoded, too.
function encodeXmlName(word: string): string {
  return word.replace(/_(?=x[0-9A-Fa-f]{4})|^[\p{N}.]|[^\p{L}\p{N}_.]/gu, (character) => {
    const digits = (character.codePointAt(0) as number).toString(16).toUpperCase();
    return `_x${digits.padStart(digits.length > 4 ? 8 : 4, '0')}_`;
  });
}

/** Decodes an XML-encoded value; plain values pass unchanged. */
export function decodeWord(word: string): string {
  if (!word.includes('_x')) return word;
  return word.replace(/_x([0-9A-Fa-f]{4}|00(?:0[1-9A-Fa-f]|10)[0-9A-Fa-f]{4})_/g, (_all, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}
