import { parse } from 'lossless-json';
import { z } from 'zod';
import { isJsonObject } from '../../runtime/json.ts';

/*
 * The format of record files. `tributary add` writes them; they are read from `schema/records/` and from the files that
 * RECORD_TYPES lists. The graph's types, inputs and resolvers derive from them as they do from descriptors in code.
 */

// As GraphQL names fields, without `__`, which introspection reserves.
const fieldName = z.string().regex(/^(?!__)[a-z][A-Za-z0-9]*$/, 'is not a name in camelCase');
const typeName = z.string().regex(/^[A-Z][A-Za-z0-9]*$/, 'is not a name in PascalCase');
/** An identifier of OData (CSDL 4.01, 15.2): it stands in addresses and in query options. `__proto__` would be no key of an object. */
export const odataNamePattern =
  /^(?!__proto__$)[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;
const odataName = z.string().regex(odataNamePattern, 'is not a name that OData allows, or is `__proto__`');
/** A file is below its record: names of navigations and properties. */
const segments = z
  .string()
  .regex(/^[\p{L}_][\p{L}\p{Nd}_]*(\/[\p{L}_][\p{L}\p{Nd}_]*){0,3}$/u, 'is not a path of one to four names');
/** Stands in the schema, which is printed: line breaks are its only control characters. */
const text = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .regex(/^[^\p{Cs}]*$/u, 'is not well-formed Unicode')
  .regex(/^(?:[^\p{Cc}]|\n)*$/u, 'has a control character');
/** Stands within descriptions, and within their quotes. */
const words = text.regex(/^[^"\\\n]*$/, 'has a quotation mark, a backslash or a line break');

/** `v2.0`, or `{publisher}/{group}/{version}` of an API that is installed beside the standard one. */
export const routePattern = /^(?:[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*\/)?(?:v\d{1,3}\.\d{1,3}|beta)$/;
const route = z.string().regex(routePattern, 'is not `v2.0` or `{publisher}/{group}/v1.0`');

/** How the upstream writes a column (`FieldKind`). */
export const fieldKinds = [
  'text',
  'code',
  'word',
  'wordOrBlank',
  'uuid',
  'date',
  'dateTime',
  'decimal',
  'int',
  'safeInt',
  'boolean',
  'object',
] as const;

const field = z.strictObject({
  kind: z.enum(fieldKinds),
  description: text,
  /** The upstream's name; that of the field by default. */
  column: odataName.optional(),
  /** Whether lists can be filtered and sorted by it; true by default. */
  canFilter: z.boolean().optional(),
  canSort: z.boolean().optional(),
  /** Whether the upstream has null where it is not set; by default a value means that, such as the empty text. */
  isNullable: z.boolean().optional(),
  /** Which writes take it; none by default. */
  writes: z.array(z.enum(['create', 'update'])).optional(),
  /** Whether a create needs it. */
  isRequired: z.boolean().optional(),
});

/** A field that leads to one record of another type: by its id in a column, by `$expand`, or by either. */
const relation = z.strictObject({
  type: typeName,
  description: text,
  /** The field with the id of the record. */
  idField: fieldName.optional(),
  navigation: odataName.optional(),
});

/** A field with rows that come with the record by `$expand`, such as the lines of a document. */
const rows = z.strictObject({
  type: typeName,
  description: text,
  /** What one row is. */
  rowDescription: text,
  navigation: odataName,
  fields: z.record(fieldName, field),
  /** Fields of the record that each row shows, too, with what they are there: such as the currency of its amounts. */
  ownerFields: z.record(fieldName, text).optional(),
  relations: z.record(fieldName, relation).optional(),
});

export const recordFile = z.strictObject({
  version: z.literal(1),
  type: typeName,
  description: text,
  /** The fields of `Company`: one record, a list, and one record by its number. */
  names: z.strictObject({ one: fieldName, many: fieldName, byNumber: fieldName.optional() }),
  /** One of them with its article, and several: `a vendor`, `vendors`. */
  texts: z.strictObject({ one: words, many: words }),
  route,
  entitySet: odataName,
  fields: z.record(fieldName, field),
  relations: z.record(fieldName, relation).optional(),
  rows: z.record(fieldName, rows).optional(),
  /** Types whose records each have a list of these: by field of these, the field of such a record that it equals. */
  listedBy: z
    .record(typeName, z.strictObject({ description: text, fields: z.record(fieldName, fieldName) }))
    .optional(),
  writes: z.array(z.enum(['create', 'update', 'delete'])).optional(),
  watched: z.strictObject({ description: text }).optional(),
  /** Files of each record, by field: the path below the record. */
  files: z
    .record(
      fieldName,
      z.strictObject({ segment: segments, description: text, isReplaceable: z.boolean().optional() }),
    )
    .optional(),
});

/** Bounds of one file. The largest entity sets that are known have 400 columns, in files of 10 kB. */
export const recordFileLimits = { bytes: 1_000_000, fields: 1_000 } as const;

export type RecordFile = z.infer<typeof recordFile>;
export type FileField = z.infer<typeof field>;

/** A column of every record; a file may describe it in its own words. */
const idField: FileField = { kind: 'uuid', description: 'The GUID that never changes.' };

/** The columns of the records of a file, `id` first. */
export const fieldsOf = ({
  fields,
}: RecordFile): Readonly<Record<string, FileField>> & { readonly id: FileField } => ({
  id: idField,
  ...fields,
});

/** What is wrong with a record file. */
export interface FileMistake {
  /** The file as the setting names it. */
  readonly file: string;
  /** Where in it: `line 7`, or the path of a value such as `fields.city.kind`; null for the whole file. */
  readonly place: string | null;
  /** What is wrong, and what to do: sentences. */
  readonly message: string;
}

/** A file and its content, once it has the format. */
export interface LoadedFile {
  readonly file: string;
  readonly content: RecordFile;
}

export const formatMistake = ({ file, place, message }: FileMistake): string =>
  [file, ...(place === null ? [] : [place]), message].join(': ');

/** Mistakes of one file that are told: one wrong tool makes the same mistake at every field. */
const maxIssues = 20;

type Parsed = LoadedFile | { readonly mistakes: readonly FileMistake[] };

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
  const { data, error } = recordFile.safeParse(json, { reportInput: true });
  const mistakes = [
    ...hidden.map((path) => [path.join('.'), noSuchName] as const),
    ...(error?.issues ?? []).flatMap(listIssues),
  ];
  if (!data || mistakes.length > 0)
    return { mistakes: mistakes.slice(0, maxIssues).map(([path, what]) => mistake(path, what)) };
  const crowd = findCrowd(data);
  return crowd === null ? { file, content: data } : { mistakes: [mistake(...crowd)] };
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

function findCrowd({ fields, rows = {} }: RecordFile): readonly [place: string, message: string] | null {
  const ofFields = [
    ['fields', fields],
    ...Object.entries(rows).map(([name, row]) => [`rows.${name}.fields`, row.fields]),
  ] as const;
  for (const [place, all] of ofFields as readonly (readonly [string, object])[])
    if (Object.keys(all).length > recordFileLimits.fields)
      return [place, `It has more than ${recordFileLimits.fields} fields. Remove some.`];
  return null;
}
