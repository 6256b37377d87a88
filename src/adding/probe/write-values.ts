import type { FileField, RecordTypeFile } from '../../business/record-files/record-file.ts';
import { wordsOf } from '../seed-values.ts';

/** A harmless value of a column's kind that is not the current one; undefined where none can be made. */
export function writeValue(
  file: RecordTypeFile,
  column: string,
  { kind, enum: name = '' }: FileField,
  current: unknown,
): string | number | boolean | undefined {
  switch (kind) {
    case 'text':
      return otherThan(current, textOf(column));
    // A code may have to exist elsewhere; one of the record's own is taken as it is.
    case 'code':
      return otherThan(current, 'TP1', 'TP2');
    case 'boolean':
      return current !== true;
    case 'int':
    case 'safeInt':
      return current === 2 ? 3 : 2;
    case 'decimal':
      return current === 1.5 ? 2.5 : 1.5;
    case 'date':
      return otherThan(current, '2024-03-15', '2024-03-16');
    case 'dateTime':
      return otherThan(current, '2024-03-15T08:30:00Z', '2024-03-16T08:30:00Z');
    case 'choice':
      return wordsOf(file.enums ?? {}, name).find((word) => word !== current && word !== '');
    // The id of another record would be needed, or a word that is not known.
    default:
      return undefined;
  }
}

const otherThan = (current: unknown, value: string, other = `1${value}`): string =>
  isShown(current, value) ? other : value;

function textOf(column: string): string {
  if (/email/i.test(column)) return 'probe@example.com';
  if (/phone|fax/i.test(column)) return '+1 555 0100';
  if (/website|url/i.test(column)) return 'https://probe.example';
  return 'Tributary';
}

/** Whether a response shows a value that was written. Services write ids and codes in a case of their own. */
export const isShown = (shown: unknown, written: unknown): boolean =>
  shown === written ||
  (typeof written === 'string' && typeof shown === 'string' && isSameText(shown, written)) ||
  (typeof written === 'number' && typeof shown !== 'boolean' && Number(shown) === written);

const isSameText = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase() || (one.includes('T') && Date.parse(one) === Date.parse(other));
