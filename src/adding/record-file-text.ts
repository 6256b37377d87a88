import { type FileMistake, formatMistake } from '../business/record-files/file-mistakes.ts';
import { checkRecordFile, parseRecordFile as parse } from '../business/record-files/parse-record-file.ts';
import { type RecordFile, recordFileLimits } from '../business/record-files/record-file.ts';
import { AddingError, toPrintable } from './adding-error.ts';

const maxShownMistakes = 10;
const maxShownLength = 400;

/** Reads a record file's text. Throws an `AddingError` that names the file and its first mistakes. */
export function parseRecordFile(text: string, name: string): RecordFile {
  const { bytes } = recordFileLimits;
  if (Buffer.byteLength(text) > bytes) throw new AddingError(`${name} is longer than ${bytes} bytes.`);
  return requireContent(parse('', text), name);
}

/** The same for what a file would hold. */
export function requireRecordFile(json: unknown, name: string): RecordFile {
  const file = requireContent(checkRecordFile('', json), name);
  const { bytes } = recordFileLimits;
  if (Buffer.byteLength(printRecordFile(file)) > bytes)
    throw new AddingError(`${name} is longer than ${bytes} bytes, the most that RECORD_TYPES reads.`);
  return file;
}

// What people look for first; what is not listed comes before the last two.
const order = ['version', 'type', 'description', 'names', 'texts', 'route', 'entitySet', 'key'];
const last = ['origin'];

/** As `schema/records/` has it. */
export function printRecordFile(file: RecordFile): string {
  const rankOf = (name: string) =>
    order.includes(name) ? order.indexOf(name) : order.length + 1 + last.indexOf(name);
  const entries = Object.entries(file).sort(([one], [other]) => rankOf(one) - rankOf(other));
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function requireContent(parsed: ReturnType<typeof parse>, name: string): RecordFile {
  if ('content' in parsed) return parsed.content;
  throw new AddingError(`${name} is not a record file:\n${describeMistakes(parsed.mistakes)}`);
}

function describeMistakes(mistakes: readonly FileMistake[]): string {
  const lines = mistakes.slice(0, maxShownMistakes).map(
    // The file is named once, before all of them.
    (mistake) => `  ${toPrintable(formatMistake(mistake).replace(/^: /, ''), maxShownLength)}`,
  );
  const more = mistakes.length - lines.length;
  return [...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n');
}
