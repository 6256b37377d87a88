import type { FileField, RecordTypeFile } from './record-file.ts';

/** A string of GraphQL: its escapes are those of JSON. */
export const quote = (text: string): string => JSON.stringify(text);

/** The first clause of a description: what follows a semicolon is about values that are read. */
export const clauseOf = (description: string): string => description.replace(/(?:;.*|\.)$/s, '');

export const lowerFirst = (text: string): string =>
  /^\p{Lu}(?!\p{Lu})/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

export const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** `a purchase order` as it is called once it is known: `purchase order`. */
export const nounOf = ({ texts }: RecordTypeFile): string => texts.one.replace(/^(?:an?|the) /i, '');

const scalars = {
  text: 'String',
  code: 'String',
  word: 'String',
  uuid: 'UUID',
  date: 'Date',
  dateTime: 'DateTime',
  decimal: 'Decimal',
  int: 'Int',
  safeInt: 'SafeInt',
  boolean: 'Boolean',
  object: 'JSON',
} as const satisfies Partial<Record<FileField['kind'], string>>;

/** The type of a field's values in the graph. */
export const typeOf = ({ kind, enum: choice }: FileField): string =>
  kind === 'choice' ? (choice ?? '') : scalars[kind];

/** The argument or the input field that names one record, without `!`. */
export const idSdl = (file: RecordTypeFile): string => `"The ${nounOf(file)}'s GUID." id: UUID`;
