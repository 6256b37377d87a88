import { parse } from 'lossless-json';
import type { z } from 'zod';
import { isJsonObject } from '../../runtime/json.ts';
import { type FileMistake, type RecordTypeFile, recordFileLimits, recordTypeFile } from './record-file.ts';

/** Mistakes of one file that are told: one wrong tool makes the same mistake at every field. */
const maxIssues = 20;

type Parsed = { readonly content: RecordTypeFile } | { readonly mistakes: readonly FileMistake[] };

/**
 * A record file, or everything that is wrong with its format. What a file holds that is no record file is in no mistake: it
 * may be a secret.
 */
export function parseRecordFile(file: string, text: string): Parsed {
  const mistake = (place: string | null, message: string): FileMistake => ({ file, place, message });
  // A byte-order mark is no JSON, but editors write it.
  const source = text.replace(/^\uFEFF/, '');
  let json: unknown;
  let hidden: readonly (readonly string[])[];
  try {
    // Unlike `JSON.parse` of Node 20, it says where a mistake is, and refuses a name that stands twice.
    json = parse(source, null, { parseNumber: Number });
    hidden = findHiddenNames(source);
  } catch (error) {
    if (!(error instanceof SyntaxError))
      return { mistakes: [mistake(null, 'It is nested too deep to be a record file.')] };
    const reason = withoutPosition(error.message);
    const shown = /"version"\s*:/.test(source) ? reason : withoutQuoted(reason);
    return { mistakes: [mistake(placeOf(error.message, source), `It is not JSON. ${shown}.`)] };
  }
  return checkRecordFile(file, json, hidden);
}

/** A reason without the piece of the file that it quotes at its end. */
function withoutQuoted(reason: string): string {
  const [said = ''] = reason.split("'", 1);
  return said.replace('but got ', '').trimEnd();
}

/** `hidden` are paths of names that the value cannot hold. */
function checkRecordFile(file: string, json: unknown, hidden: readonly (readonly string[])[]): Parsed {
  const mistake = (place: string | null, message: string): FileMistake => ({ file, place, message });
  if (!isJsonObject(json) || !Object.hasOwn(json, 'version'))
    return {
      mistakes: [mistake(null, 'It is not a record file: expected a JSON object with `"version": 1`.')],
    };
  const { data, error } = recordTypeFile.safeParse(json, { reportInput: true });
  const mistakes = [
    ...hidden.map((path) => [path.join('.'), noSuchName] as const),
    ...(error?.issues ?? []).flatMap(listIssues),
  ];
  if (!data || mistakes.length > 0)
    return { mistakes: mistakes.slice(0, maxIssues).map(([path, what]) => mistake(path, what)) };
  const crowd = findCrowd(data);
  return crowd === null ? { content: data } : { mistakes: [mistake(...crowd)] };
}

/** The paths of names `__proto__`, which are no names of what the parser makes. */
function findHiddenNames(source: string): readonly (readonly string[])[] {
  if (!/__proto__|\\u/.test(source)) return [];
  const found: string[][] = [];
  const search = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === '__proto__') found.push([...path, name]);
      search(inner, [...path, name]);
    }
  };
  search(JSON.parse(source), []);
  return found;
}

const placeOf = (message: string, source: string): string | null => {
  const position = /at position (\d+)$/.exec(message)?.[1];
  if (position === undefined) return null;
  return `line ${source.slice(0, Number(position)).split('\n').length}`;
};

const withoutPosition = (message: string) => message.replace(/ (?:encountered )?at position \d+$/, '');

type Issue = z.core.$ZodIssue;

const noSuchName = 'The format has no such name. Remove it, or correct it.';
/** What zod calls types, in words of JSON. */
const typeNames: Readonly<Record<string, string>> = { record: 'object' };

/** An issue as the path of a value and what is wrong there; one for each unknown name. */
function listIssues(issue: Issue): readonly (readonly [place: string | null, message: string])[] {
  const at = (...more: readonly PropertyKey[]) => [...issue.path, ...more].join('.') || null;
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => [at(key), noSuchName]);
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => [at(), `The name ${describe(message)}.`]);
  if (issue.code === 'invalid_type') {
    const expected = typeNames[issue.expected] ?? issue.expected;
    return [
      [at(), `${issue.input === undefined ? 'It is missing' : 'It has another type'}: expected ${expected}.`],
    ];
  }
  return [[at(), `The value ${describe(issue.message)}.`]];
}

/** Messages of the format begin with a verb, those of zod with `Invalid …:`. */
const describe = (message: string) =>
  /^(is|has) /.test(message) ? message : `is invalid: ${message.replace(/^Invalid \w+(?: \w+)?: /, '')}`;

function findCrowd({
  fields,
  enums = {},
  rows = {},
}: RecordTypeFile): readonly [place: string, message: string] | null {
  const ofFields = [
    ['fields', fields],
    ...Object.entries(rows).map(([name, row]) => [`rows.${name}.fields`, row.fields]),
  ] as const;
  for (const [place, all] of ofFields as readonly (readonly [string, object])[])
    if (Object.keys(all).length > recordFileLimits.fields)
      return [place, `It has more than ${recordFileLimits.fields} fields. Remove some.`];
  if (Object.keys(enums).length > recordFileLimits.enums)
    return [
      'enums',
      `It has more than ${recordFileLimits.enums} enums. Give some of these fields the kind \`text\`.`,
    ];
  const large = Object.entries(enums).find(
    ([, { members }]) => Object.keys(members).length > recordFileLimits.members,
  );
  return large
    ? [
        `enums.${large[0]}`,
        `It has more than ${recordFileLimits.members} members. Give its fields the kind \`text\`.`,
      ]
    : null;
}
