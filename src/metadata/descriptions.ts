import { terms } from './csdl/annotations.ts';
import type { Property } from './csdl/model.ts';
import { type DecimalContext, unitOf } from './decimals.ts';
import { toLine } from './definitions.ts';
import { toPhrase, toSentence } from './words.ts';

export interface DescriptionContext extends DecimalContext {
  /** What one record is: `vendor`. */
  readonly noun: string;
  readonly caption: string | undefined;
}

type Rules = readonly (readonly [RegExp, (parts: readonly string[], noun: string) => string])[];

/** Names whose meaning is the same in every entity set. */
const named: Rules = [
  [/^number$/, (_, noun) => `The ${noun} number shown to users`],
  [/^displayName$/, (_, noun) => `Name of the ${noun}`],
  [/^code$/, (_, noun) => `Code of the ${noun}`],
  [/^(\w*?)addressLine1$/i, ([party]) => `First line of the ${addressOf(party)}`],
  [/^(\w*?)addressLine2$/i, ([party]) => `Second line of the ${addressOf(party)}`],
  [/^(|shipTo|billTo|sellTo|buyFrom|payTo)city$/i, ([party]) => `Town of the ${addressOf(party)}`],
  [
    /^(|shipTo|billTo|sellTo|buyFrom|payTo)state$/i,
    ([party]) => `State, county or region of the ${addressOf(party)}`,
  ],
  [
    /^(|shipTo|billTo|sellTo|buyFrom|payTo)country$/i,
    ([party]) => `Country or region code of the ${addressOf(party)}`,
  ],
  [
    /^(|shipTo|billTo|sellTo|buyFrom|payTo)post(?:al)?code$/i,
    ([party]) => `Postal code of the ${addressOf(party)}`,
  ],
  [/^email$/i, () => 'The address for electronic mail'],
  [/^phone(?:Number)?$/i, () => 'The phone number to call'],
  [/^website$/i, (_, noun) => `The ${noun}'s page on the web`],
  [/^lastModifiedDateTime$/, () => 'When the record last changed'],
  [/^systemCreatedAt$/, () => 'When the record was created'],
  [/^systemModifiedAt$/, () => 'When the record last changed'],
  [/^systemCreatedBy$/, () => 'Id of the user who created the record'],
  [/^systemModifiedBy$/, () => 'Id of the user who last changed the record'],
  [/^discountAppliedBeforeTax$/, () => 'Whether the discount is deducted before tax is calculated'],
];

/** What ends of names say, where there is no caption. */
const suffixed: Rules = [
  [/^(\w+)Id$/, ([of]) => `Id of the ${toPhrase(of ?? '')}`],
  [/^(\w+)(?:Number|No_?)$/, ([of]) => `Number of the ${toPhrase(of ?? '')}`],
  [/^(\w+)Code$/, ([of]) => `Code of the ${toPhrase(of ?? '')}`],
  [/^(\w+?)(?:Display)?Name$/, ([of]) => `Name of the ${toPhrase(of ?? '')}`],
];

const addressOf = (party = ''): string =>
  party === '' ? 'address' : `${toPhrase(party).replace(/ /g, '-')} address`;

// As the descriptions of employees say it.
const sensitive = /iban|bankAccountNumber|bankBranch|socialSecurity|^ssn$|passport|salary|password|secret/i;

/** What a column is: the metadata's own words, or those of its name, or the service's caption. */
export function describeColumn(property: Property, type: string, context: DescriptionContext): string {
  const sentence = withoutEnd(wordsOfColumn(property, type, context));
  // A semicolon would end what is said of the column in filters.
  const clause = sentence.replace(/;/g, ',');
  const unit = type === 'decimal' ? unitOf(property, context) : '';
  return `${toSentence(clause).slice(0, -1)}${unit}${sensitive.test(property.name) ? '; sensitive' : ''}.`;
}

function wordsOfColumn(property: Property, type: string, { noun, caption }: DescriptionContext): string {
  const { name, annotations } = property;
  for (const term of [terms.longDescription, terms.description]) {
    const said = annotations.get(term);
    const line = typeof said === 'string' ? toLine(said) : null;
    if (line !== null) return line;
  }
  const phrase = toPhrase(name);
  const said = sayByName(named, name, noun);
  if (said !== null) return said;
  if (type === 'boolean') return describeBoolean(phrase, caption);
  const label = annotations.get(terms.label);
  const line = caption ?? (typeof label === 'string' ? toLine(label) : null);
  if (line !== null && line !== undefined && isMoreThan(line, phrase)) return line;
  return sayByName(suffixed, name, noun) ?? (phrase === '' ? (line ?? `The column ${name}`) : phrase);
}

/** Without the full stops, semicolons and blanks at its end. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[.;\s]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function sayByName(rules: Rules, name: string, noun: string): string | null {
  for (const [pattern, describe] of rules) {
    const found = pattern.exec(name);
    if (found) return describe(found.slice(1), noun);
  }
  return null;
}

/** A caption such as `Post Code` says what the name does; `No.` less. */
const isMoreThan = (caption: string, phrase: string): boolean =>
  caption.length > 3 && toPhrase(caption).replace(/ /g, '') !== phrase.replace(/ /g, '');

function describeBoolean(phrase: string, caption: string | undefined): string {
  const words = caption === undefined || /[?.]$/.test(caption) ? phrase : caption.toLowerCase();
  if (/^(?:is|has|can|does|was) /.test(words)) return `Whether it ${words}`;
  return /(?:ed|able|ible|ing|paid|sent|liable|active|open|due)$/.test(words)
    ? `Whether it is ${words}`
    : `Whether ${words}`;
}
