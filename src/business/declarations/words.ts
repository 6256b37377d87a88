/** `purchaseOrder` and `PurchaseOrder` as they stand in a sentence: `purchase order`. */
export const toPhrase = (name: string): string =>
  (name.match(/[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [name]).join(' ').toLowerCase();

/** `an` before the sound of a vowel. */
export const withArticle = (phrase: string): string =>
  `${/^(?:[aeio]|u(?!ni|se))/i.test(phrase) ? 'an' : 'a'} ${phrase}`;

/** A record of the type in a sentence, with its article: `a purchase order`. */
export const nounOf = ({ name }: { readonly name: string }): string => withArticle(toPhrase(name));

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The first clause of a description, without its full stop: what follows a semicolon is about values that are read. */
export const clauseOf = (description: string): string => description.replace(/(?:;.*|\.)$/s, '');

/** The last word of a type's name: the lines of a `SalesOrder` are those of an order. */
export const ownerWord = (type: string): string =>
  toPhrase(type)
    .match(/[a-z]+/g)
    ?.at(-1) ?? '';
