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

/** A word of the upstream as members of enums are named: `Non-Inventory` is NON_INVENTORY. */
export function toUpperCaseName(word: string): string {
  const joined = wordsOf(word).join('_').toUpperCase();
  return /^[A-Z]/.test(joined) ? joined : `VALUE${joined === '' ? '' : `_${joined}`}`;
}

/** What stands in sentences as capitals. */
const abbreviations = new Set('gl gtin iban ic iso pdf sku swift url vat'.split(' '));

/** A name as it stands in a sentence: `purchaseOrderLine` is `purchase order line`. */
export function toPhrase(name: string): string {
  const words = wordsOf(name).map((word) => {
    const lower = word.toLowerCase();
    if (abbreviations.has(lower)) return lower.toUpperCase();
    return /^[A-Z]{3,4}$/.test(word) && /[a-z]/.test(name) ? word : lower;
  });
  return words.join(' ');
}

/**
 * The same where there have to be words, behind an article: a name without ASCII letters and digits stays as it is, and
 * `A_BusinessPartner` of SAP is `business partner`.
 */
export const toNoun = (name: string): string => (toPhrase(name) || name).replace(/^a (?=.)/, '');

export const toSentence = (phrase: string): string =>
  `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}${/[.!?]$/.test(phrase) ? '' : '.'}`;

/** `an` before the sound of a vowel. */
export const withArticle = (phrase: string): string =>
  `${/^(?:[aeiou](?!ni(?:t|que|vers|on|form)|se\b|sed\b|ser|uro|ne\b)|hour|honest|heir|(?:IRS|IBAN|IC|ID|ISO|SKU|iban|id) ?)/i.test(phrase) ? 'an' : 'a'} ${phrase}`;

const irregular: Readonly<Record<string, string>> = { people: 'person', children: 'child' };
const plurals = new Map(Object.entries(irregular).map(([plural, singular]) => [singular, plural]));
const uncountable = /^(?:information|series|news|equipment|data|staff|inventory|history|sales|\d+)$/;

/** One of what a word names, or null where it names one already, or cannot be counted. */
function singularWord(word: string): string | null {
  if (uncountable.test(word)) return null;
  if (Object.hasOwn(irregular, word)) return irregular[word] as string;
  if (/(?:ss|us|is)$/.test(word) || !word.endsWith('s') || word.length < 3) return null;
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:sses|uses|xes|zzes|ches|shes)$/.test(word) && !/(?:auses|ouses|axes)$/.test(word))
    return word.slice(0, -2);
  return word.slice(0, -1);
}

function pluralWord(word: string): string | null {
  if (uncountable.test(word)) return null;
  const known = plurals.get(word);
  if (known !== undefined) return known;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}${/(?:s|x|z|ch|sh)$/.test(word) ? 'es' : 's'}`;
}

/** Changes the last word of a name; the rest stays as it is written. */
function changeLastWord(name: string, change: (word: string) => string | null): string | null {
  const last = wordsOf(name).at(-1);
  if (last === undefined || !name.endsWith(last)) return null;
  const changed = change(last.toLowerCase());
  if (changed === null || changed === last.toLowerCase()) return null;
  const written = /^[A-Z]/.test(last) ? changed.charAt(0).toUpperCase() + changed.slice(1) : changed;
  return name.slice(0, -last.length) + written;
}

// `unitsOfMeasure`, `countriesRegions`: the plural is not in the last word alone.
const singularWithin = (name: string): string | null => {
  const found = /^([a-z]+s)(Of[A-Z]\w*)$/i.exec(name);
  const first = found && changeLastWord(found[1] ?? '', singularWord);
  return first ? `${first}${found[2]}` : null;
};

/** `vendors` is `vendor`; null for a name that is not in the plural. */
export const singularOf = (name: string): string | null =>
  singularWithin(name) ?? changeLastWord(name, singularWord);

/** `vendor` is `vendors`; null for what cannot be counted. */
export const pluralOf = (name: string): string | null => changeLastWord(name, pluralWord);
