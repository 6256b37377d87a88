import type { FileField, RecordFile } from '../business/record-files/record-file.ts';
import { toPrintable } from './adding-error.ts';
import { findBreaks, findSurprises } from './model-sdl.ts';

/** What differs between a record file and the same file of today. */
export interface RecordChanges {
  /** One line each: `+ field blocked (boolean)`, `- field fax`, `~ field balance: text → decimal`. */
  readonly lines: readonly string[];
  readonly breaks: readonly string[];
  readonly surprises: readonly string[];
}

type Entries = Readonly<Record<string, unknown>>;

export function compareRecordFiles(before: RecordFile, after: RecordFile): RecordChanges {
  const lines = [
    ...diffEntries('field', before.fields, after.fields, describeField),
    ...diffEntries('enum', before.enums, after.enums, describeEnum),
    ...diffEntries('relation', before.relations, after.relations, describeRest),
    ...diffRows(before.rows ?? {}, after.rows ?? {}),
    ...diffEntries('list', before.listedBy, after.listedBy, describeRest),
    ...diffEntries('file', before.files, after.files, describeRest),
    ...diffValues(before, after, ['route', 'entitySet', 'key', 'writes', 'watched', 'names']),
    ...diffNotes(before.origin?.notes ?? [], after.origin?.notes ?? []),
    ...diffValues(before.origin ?? {}, after.origin ?? {}, ['probed']),
  ];
  return {
    lines: lines.map((line) => toPrintable(line)),
    breaks: findBreaks(before, after),
    surprises: findSurprises(before, after),
  };
}

function diffEntries<T>(
  kind: string,
  before: Readonly<Record<string, T>> = {},
  after: Readonly<Record<string, T>> = {},
  describe: (entry: T) => string,
): string[] {
  const [from, to] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...from.keys(), ...to.keys()])].flatMap((name) => {
    const [was, is] = [from.get(name), to.get(name)];
    if (was === undefined) return [`+ ${kind} ${name} ${describe(is as T)}`];
    if (is === undefined) return [`- ${kind} ${name}`];
    return describe(was) === describe(is) ? [] : [`~ ${kind} ${name}: ${describe(was)} → ${describe(is)}`];
  });
}

function diffRows(before: NonNullable<RecordFile['rows']>, after: typeof before): string[] {
  const own = diffEntries('rows', before, after, ({ type, navigation }) => `(${type}, by ${navigation})`);
  const inner = Object.entries(after).flatMap(([name, row]) =>
    Object.hasOwn(before, name)
      ? [
          ...diffEntries(`field ${name}.`, before[name]?.fields, row.fields, describeField),
          ...diffEntries(`relation ${name}.`, before[name]?.relations, row.relations, describeRest),
        ]
      : [],
  );
  return [...own, ...inner];
}

const describeField = ({ kind, enum: name, column, canFilter, canSort, writes, isRequired }: FileField) =>
  `(${[
    name ? `${kind} ${name}` : kind,
    ...(column ? [`column ${column}`] : []),
    ...(canFilter === false ? ['no filter'] : []),
    ...(canSort === false ? ['no sort'] : []),
    ...(writes?.length ? [`written by ${writes.join(' and ')}`] : []),
    ...(isRequired ? ['required'] : []),
  ].join(', ')})`;

const describeEnum = ({ members, unset }: NonNullable<RecordFile['enums']>[string]): string => {
  const words = Object.entries(members).map(([name, { word }]) => `${name} ${JSON.stringify(word)}`);
  return `(${words.join(', ')}${unset === undefined ? '' : `; unset ${JSON.stringify(unset)}`})`;
};

/** Everything but texts for people. */
const describeRest = (entry: unknown): string => {
  const { description: _text, ...rest } = entry as Entries;
  return JSON.stringify(rest);
};

const diffValues = (before: object, after: object, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const [was, is] = [before, after].map((each) => JSON.stringify((each as Entries)[name]) ?? 'none');
    return was === is ? [] : [`~ ${name}: ${was} → ${is}`];
  });

const diffNotes = (before: readonly string[], after: readonly string[]): string[] => [
  ...after.filter((note) => !before.includes(note)).map((note) => `+ note: ${note}`),
  ...before.filter((note) => !after.includes(note)).map((note) => `- note: ${note}`),
];
