/** Splits `OrderID`, `Order_ID` and `orderId` to two words, without accents. Empty without ASCII letters and digits. */
const wordsOf = (name: string): readonly string[] =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .match(/[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

const isCamelCase = (name: string): boolean => /^[a-z][A-Za-z0-9]*$/.test(name);

/** Converts a name to camelCase. `fallback` precedes a name that does not begin with a letter. */
export function toCamelCase(name: string, fallback: string): string {
  if (isCamelCase(name)) return name;
  const [first = '', ...others] = wordsOf(name);
  const joined = [first.toLowerCase(), ...others.map(capitalize)].join('');
  return isCamelCase(joined) ? joined : `${fallback}${joined}`;
}

export function toPascalCase(name: string): string {
  const camel = toCamelCase(name, 'record');
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

export const toSentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;

/** Returns a function that makes names unique by a number. `reserved` names are taken from the start. */
export function createNameList(reserved: readonly string[] = []): (name: string) => string {
  const taken = new Set(reserved);
  return (name) => {
    let free = name;
    // Not `name_2`, which is no camelCase.
    for (let number = 2; taken.has(free); number += 1)
      free = /\d$/.test(name) ? `${name}N${number}` : `${name}${number}`;
    taken.add(free);
    return free;
  };
}
