import type { FileField, RecordTypeFile } from '../business/record-files/record-file.ts';

/** How many records a new set of the sandbox has in each company. */
const seededRows = 3;

const towns = ['Aarhus', 'Bergen', 'Malmö'];
const names = ['Alpine', 'Birch', 'Cedar'];

type SeedValue = string | number | boolean;
type SeededRecord = Readonly<Record<string, SeedValue>>;
type NamedField = readonly [name: string, field: FileField];

/** The records of a new set by column. Those of a key have values in its columns, and each another one. */
export function seededRecords(
  file: RecordTypeFile,
  fields: readonly NamedField[],
  keys: readonly string[],
): readonly SeededRecord[] {
  const records = Array.from({ length: seededRows }, (_, index): SeededRecord => {
    const values = fields.flatMap((entry): [string, SeedValue][] => {
      const column = entry[1].column ?? entry[0];
      const value = seedValue(file, entry, index, keys.includes(column));
      return value === undefined ? [] : [[column, value]];
    });
    return Object.fromEntries(values);
  });
  // The sandbox makes GUIDs, and no two of them are the same.
  if (keys.length === 0 || keys.some((column) => records[0]?.[column] === undefined)) return records;
  const keyOf = (record: SeededRecord | undefined) => JSON.stringify(keys.map((column) => record?.[column]));
  return records.filter((record, index) =>
    records.slice(0, index).every((earlier) => keyOf(earlier) !== keyOf(record)),
  );
}

/**
 * A plausible value of a column in one of the seeded records: by its name where that says what it is, else by its kind.
 * Undefined for columns that the sandbox fills itself, and for objects.
 */
function seedValue(
  file: RecordTypeFile,
  [name, field]: NamedField,
  index: number,
  isInKey: boolean,
): SeedValue | undefined {
  const column = field.column ?? name;
  if (column === 'id' || column === 'lastModifiedDateTime' || field.kind === 'uuid') return undefined;
  switch (field.kind) {
    case 'object':
      return undefined;
    case 'boolean':
      return index === 2;
    case 'int':
    case 'safeInt':
      return index + 1;
    case 'decimal':
      return /price|cost|amount|balance/i.test(name) ? 120.5 + 40 * index : index + 0.5;
    case 'date':
      return `2024-0${index + 3}-15`;
    case 'dateTime':
      return `2024-0${index + 3}-15T08:30:00.000Z`;
    case 'choice':
      return choiceWord(file, field, index);
    default:
      return isInKey ? codeValue(file, index) : textValue(file, name, field, index);
  }
}

function choiceWord({ enums = {} }: RecordTypeFile, { enum: name = '' }: FileField, index: number): string {
  const words = wordsOf(enums, name);
  return words[index % Math.max(1, words.length)] ?? '';
}

/** The words of an enum, with that of "not set" first. */
export function wordsOf(enums: NonNullable<RecordTypeFile['enums']>, name: string): string[] {
  const choice = Object.hasOwn(enums, name) ? enums[name] : undefined;
  if (!choice) return [];
  const words = Object.values(choice.members).map(({ word }) => word);
  return [...new Set([...(choice.unset === undefined ? [] : [choice.unset]), ...words])];
}

const codeValue = ({ type }: RecordTypeFile, index: number): string =>
  `${type.slice(0, 3).toUpperCase()}${10 * (index + 1)}`;

function textValue(file: RecordTypeFile, name: string, { kind }: FileField, index: number): string {
  if (/^(number|code|no)$/i.test(name)) return codeValue(file, index);
  if (/email/i.test(name)) return `${names[index]?.toLowerCase()}@example.com`;
  if (/phone|fax/i.test(name)) return `+1 555 010${index}`;
  if (/website|url/i.test(name)) return `https://${names[index]?.toLowerCase()}.example`;
  if (/city|town/i.test(name)) return towns[index] ?? '';
  if (/country/i.test(name)) return ['DK', 'NO', 'SE'][index] ?? '';
  if (/post(al)?code|zip/i.test(name)) return `${8000 + index}`;
  if (/addressLine1|street/i.test(name)) return `${index + 1} Harbour Street`;
  if (/name|description|title/i.test(name)) return `${names[index]} ${file.texts.many}`.slice(0, 50);
  return kind === 'text' ? '' : `${name.slice(0, 3).toUpperCase()}${index + 1}`;
}
