import type { z } from 'zod';
import { extensionFile, type RecordFile, recordTypeFile } from '../business/record-files/record-file.ts';
import { isJsonObject } from '../runtime/json.ts';
import { AddingError, toPrintable } from './adding-error.ts';

const maxFileLength = 4 * 1024 * 1024;
const maxShownIssues = 10;

/** Reads a record file's text. Throws an `AddingError` that names the file and its first mistakes. */
export function parseRecordFile(text: string, name: string): RecordFile {
  if (text.length > maxFileLength)
    throw new AddingError(`${name} is longer than ${maxFileLength} characters.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new AddingError(`${name} is not JSON: ${toPrintable((error as Error).message)}`);
  }
  return requireRecordFile(json, name);
}

/** The same for what a file would hold. */
export function requireRecordFile(json: unknown, name: string): RecordFile {
  const schema = isJsonObject(json) && 'extends' in json ? extensionFile : recordTypeFile;
  const { success, data, error } = schema.safeParse(json);
  if (success) return data;
  throw new AddingError(`${name} is not a record file:\n${describeIssues(error)}`);
}

// What people look for first; what is not listed comes before the last two.
const order = ['version', 'type', 'extends', 'description', 'names', 'texts', 'route', 'entitySet', 'key'];
const last = ['sources', 'origin'];

/** As `schema/records/` has it. */
export function printRecordFile(file: RecordFile): string {
  const rankOf = (name: string) =>
    order.includes(name) ? order.indexOf(name) : order.length + 1 + last.indexOf(name);
  const entries = Object.entries(file).sort(([one], [other]) => rankOf(one) - rankOf(other));
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function describeIssues({ issues }: z.ZodError): string {
  const lines = issues
    .slice(0, maxShownIssues)
    .map(({ path, message }) => `  ${toPrintable(path.map(String).join('.'), 120)}: ${toPrintable(message)}`);
  const more = issues.length - lines.length;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}
