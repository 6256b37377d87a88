/** Converts `purchaseOrder` or `PurchaseOrder` to `purchase order`. */
export const toPhrase = (name: string): string =>
  (name.match(/[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [name]).join(' ').toLowerCase();

/** Adds the indefinite article: `an` before a vowel sound. */
export const withArticle = (phrase: string): string =>
  `${/^(?:[aeio]|u(?!ni|se))/i.test(phrase) ? 'an' : 'a'} ${phrase}`;

/** The noun of a type with its article: `a purchase order`. */
export const nounOf = ({ name }: { readonly name: string }): string => withArticle(toPhrase(name));

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The first clause of a description, without its full stop. The part after a semicolon is about values that are read. */
export const clauseOf = (description: string): string => description.replace(/(?:;.*|\.)$/s, '');

/** The last word of a type's name: `order` for `SalesOrder`. */
export const ownerWord = (type: string): string =>
  toPhrase(type)
    .match(/[a-z]+/g)
    ?.at(-1) ?? '';
