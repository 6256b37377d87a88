/** The letters and digits of ASCII that a text is made of; others become blanks. */
const toAscii = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, ' ');

/** `OrderID`, `Order_ID` and `orderId` are the words `Order` and `ID`; empty for a name without ASCII letters and digits. */
const wordsOf = (name: string): readonly string[] =>
  toAscii(name).match(/[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

const isCamelCase = (name: string): boolean => /^[a-z][A-Za-z0-9]*$/.test(name);

/** A name as fields have it; `fallback` precedes one without letters. A name that is one already stays as it is. */
export function toCamelCase(name: string, fallback: string): string {
  if (isCamelCase(name)) return name;
  const [first = '', ...others] = wordsOf(name);
  const joined = [first.toLowerCase(), ...others.map(capitalize)].join('');
  return isCamelCase(joined) ? joined : `${fallback}${joined}`;
}

/** A name as types have it. */
export function toPascalCase(name: string): string {
  const camel = toCamelCase(name, 'record');
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** A name as it stands in a sentence: `purchaseOrderLine` is `purchase order line`. */
export const toPhrase = (name: string): string => wordsOf(name).join(' ').toLowerCase() || name;

export const toSentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;

/** `an` before the sound of a vowel. */
export const withArticle = (phrase: string): string =>
  `${/^(?:[aeio]|u(?!ni|se))/i.test(phrase) ? 'an' : 'a'} ${phrase}`;

/** Gives names, each once: of two that are alike, the second gets a number. */
export function createNameList(taken: readonly string[] = []): (name: string) => string {
  const given = new Set(taken);
  return (name) => {
    let free = name;
    // `name2` reads better than `name_2`, which GraphQL's conventions of names exclude.
    for (let number = 2; given.has(free); number += 1)
      free = /\d$/.test(name) ? `${name}N${number}` : `${name}${number}`;
    given.add(free);
    return free;
  };
}
