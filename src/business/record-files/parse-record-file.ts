import { parse } from 'lossless-json';
import type { z } from 'zod';
import type { FileMistake } from './file-mistakes.ts';
import { extensionFile, type RecordFile, recordTypeFile } from './record-file.ts';

/** Bounds of one file. The largest entity sets that are known have 400 columns. */
const maxFields = 1_000;
const maxEnums = 200;
const maxMembers = 1_000;

/** Mistakes of one file that are told: one wrong tool makes the same mistake at every field. */
const maxIssues = 20;

/** A record file, or everything that is wrong with its format. */
export function parseRecordFile(
  file: string,
  text: string,
): { readonly content: RecordFile } | { readonly mistakes: readonly FileMistake[] } {
  const mistake = (place: string | null, message: string): FileMistake => ({ file, place, message });
  let json: unknown;
  // A byte-order mark is no JSON, but editors write it.
  const source = text.replace(/^\uFEFF/, '');
  try {
    // Unlike `JSON.parse` of Node 20, it says where a mistake is, and refuses a name that stands twice.
    json = parse(source, null, { parseNumber: Number });
  } catch (error) {
    if (!(error instanceof SyntaxError))
      return { mistakes: [mistake(null, 'It is nested too deep to be a record file.')] };
    return {
      mistakes: [
        mistake(placeOf(error.message, source), `It is not JSON. ${withoutPosition(error.message)}.`),
      ],
    };
  }
  const isExtension = typeof json === 'object' && json !== null && 'extends' in json;
  const { data, error } = (isExtension ? extensionFile : recordTypeFile).safeParse(json);
  if (!data)
    return {
      mistakes: error.issues
        .flatMap(listIssues)
        .slice(0, maxIssues)
        .map(([path, what]) => mistake(path, what)),
    };
  const crowd = findCrowd(data);
  return crowd === null ? { content: data } : { mistakes: [mistake(...crowd)] };
}

const placeOf = (message: string, source: string): string | null => {
  const position = /at position (\d+)$/.exec(message)?.[1];
  if (position === undefined) return null;
  return `line ${source.slice(0, Number(position)).split('\n').length}`;
};

const withoutPosition = (message: string) => message.replace(/ (?:encountered )?at position \d+$/, '');

type Issue = z.core.$ZodIssue;

/** An issue as the path of a value and what is wrong there; one for each unknown name. */
function listIssues(issue: Issue): readonly (readonly [place: string | null, message: string])[] {
  const at = (...more: readonly PropertyKey[]) => [...issue.path, ...more].join('.') || null;
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => [at(key), 'The format has no such name. Remove it, or correct it.']);
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => [at(), `The name ${describe(message)}.`]);
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return [[at(), `It is missing: expected ${issue.expected}.`]];
  return [[at(), `The value ${describe(issue.message)}.`]];
}

/** Messages of the format begin with a verb, those of zod with `Invalid …:`. */
const describe = (message: string) =>
  /^(is|has) /.test(message) ? message : `is invalid: ${message.replace(/^Invalid \w+(?: \w+)?: /, '')}`;

function findCrowd(file: RecordFile): readonly [place: string, message: string] | null {
  const { fields, enums = {} } = file;
  const rows = 'rows' in file ? Object.entries(file.rows ?? {}) : [];
  const ofFields = [
    ['fields', fields],
    ...rows.map(([name, row]) => [`rows.${name}.fields`, row.fields]),
  ] as const;
  for (const [place, all] of ofFields as readonly (readonly [string, object])[])
    if (Object.keys(all).length > maxFields)
      return [place, `It has more than ${maxFields} fields. Remove some.`];
  if (Object.keys(enums).length > maxEnums)
    return ['enums', `It has more than ${maxEnums} enums. Give some of these fields the kind \`text\`.`];
  const large = Object.entries(enums).find(([, { members }]) => Object.keys(members).length > maxMembers);
  return large
    ? [`enums.${large[0]}`, `It has more than ${maxMembers} members. Give its fields the kind \`text\`.`]
    : null;
}
