import type { ExactNumber } from '../json.ts';

/** A value of a stored record. Amounts the sandbox calculates are plain numbers with at most two decimals. */
export type FieldValue = string | number | boolean | ExactNumber;

/** The fields of one record by name. Immutable: a write stores new values. */
export type RecordValues = Readonly<Record<string, FieldValue>>;

/** How the document writes "unset" (Conventions for A). */
export const unsetGuid = '00000000-0000-0000-0000-000000000000';
export const unsetDate = '0001-01-01';
/** `blocked` is a single space while the customer is not blocked (States, customer). */
export const notBlocked = ' ';

/** The last one as if an extension had added it: callers know it by its word alone. */
export const contactTypes: readonly string[] = ['Company', 'Person', 'Public Body'];

/** True for a value that the document writes for "unset". Numbers and booleans are never unset. */
export function isBlank(value: unknown): boolean {
  return (
    value === '' ||
    value === notBlocked ||
    value === unsetGuid ||
    (typeof value === 'string' && value.startsWith(unsetDate))
  );
}

/** A file that belongs to a record, as the upstream names it. */
export type FileName = 'picture' | 'pdfDocument' | 'attachmentContent' | 'logo';
