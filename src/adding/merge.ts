import type { FileField, RecordFile, RecordTypeFile } from '../business/record-files/record-file.ts';

/*
 * Brings a record file up to date with a new draft of it. What the metadata says comes from the draft: which columns,
 * navigations, words and files there are, and of which kind. What people decide, or a probe found out, stays: names,
 * descriptions, what can be filtered, sorted and written.
 */

type Fields = Readonly<Record<string, FileField>>;
type Enums = NonNullable<RecordFile['enums']>;
type Relations = NonNullable<RecordTypeFile['relations']>;
type Rows = NonNullable<RecordTypeFile['rows']>;

/** Kinds that metadata cannot tell apart: what the file has stays. */
const families = [
  ['text', 'code', 'word'],
  ['choice', 'word'],
  ['int', 'safeInt'],
] as const;

const isSameKind = (one: FileField['kind'], other: FileField['kind']): boolean =>
  one === other ||
  families.some((family) => [one, other].every((kind) => family.some((each) => each === kind)));

export function mergeDraft(existing: RecordFile, draft: RecordFile): RecordFile {
  const fields = mergeFields(existing.fields, draft.fields);
  const rows = mergeRows(rowsOf(existing), rowsOf(draft));
  const shapes = [{ fields }, ...Object.values(rows ?? {})];
  const enums = mergeEnums(
    existing.enums ?? {},
    draft.enums ?? {},
    usedEnums(shapes),
    pairEnums(existing, draft),
  );
  const arrived = Object.keys(fields).filter((name) => !Object.hasOwn(existing.fields, name));
  const origin = mergeOrigin(existing, draft, arrived);
  const shared = { fields, ...(enums && { enums }), ...(origin && { origin }) };
  const relations = mergeRelations(existing.relations ?? {}, draft.relations ?? {}, fields);
  // Metadata does not list every file, so that one that is missing in it may have been added by hand.
  const known = existing.files || draft.files ? { ...existing.files, ...draft.files } : undefined;
  const files = mergeNamed(existing.files, known, ({ segment }) => segment);
  const {
    key: _key,
    enums: _enums,
    relations: _relations,
    rows: _rows,
    files: _files,
    ...decided
  } = existing;
  return {
    ...decided,
    ...shared,
    route: draft.route,
    ...(draft.key && { key: draft.key }),
    ...(relations && { relations }),
    ...(rows && { rows }),
    ...(files && { files }),
  };
}

/** Fields by column. Those of the file keep their order and their names, new ones come last. */
function mergeFields(existing: Fields, draft: Fields): Record<string, FileField> {
  const placeOf = ([name, { column }]: readonly [string, FileField]) => column ?? name;
  const drafted = new Map(Object.entries(draft).map((entry) => [placeOf(entry), entry]));
  const merged = new Map<string, FileField>();
  for (const [name, field] of Object.entries(existing)) {
    const found = drafted.get(placeOf([name, field]))?.[1];
    drafted.delete(placeOf([name, field]));
    if (found) merged.set(name, isSameKind(field.kind, found.kind) ? field : changeKind(field, found));
  }
  for (const [, [name, field]] of drafted) {
    const free = merged.has(name) ? `${name}Column` : name;
    if (!merged.has(free))
      merged.set(free, free === name ? field : { ...field, column: field.column ?? name });
  }
  return Object.fromEntries(merged);
}

function changeKind({ enum: _before, ...field }: FileField, { kind, enum: choice }: FileField): FileField {
  return { ...field, kind, ...(choice && { enum: choice }) };
}

const rowsOf = (file: RecordFile): Rows => file.rows ?? {};

/** The enums that fields still have. */
const usedEnums = (shapes: readonly { readonly fields: Fields }[]): ReadonlySet<string> =>
  new Set(shapes.flatMap(({ fields }) => Object.values(fields)).flatMap((field) => field.enum ?? []));

/** The enum of the draft behind each enum of the file, which may have another name. */
function pairEnums(existing: RecordFile, draft: RecordFile): ReadonlyMap<string, string> {
  const byColumn = (file: RecordFile) =>
    [
      ['', file.fields] as const,
      ...Object.values(rowsOf(file)).map((row) => [row.navigation, row.fields] as const),
    ]
      .flatMap(([place, fields]) =>
        Object.entries(fields).map(
          ([name, field]) => [`${place}/${field.column ?? name}`, field.enum] as const,
        ),
      )
      .flatMap(([column, name]) => (name === undefined ? [] : [[column, name] as const]));
  const drafted = new Map(byColumn(draft));
  return new Map(
    byColumn(existing).flatMap(([column, name]) => {
      const now = drafted.get(column);
      return now === undefined ? [] : [[name, now] as const];
    }),
  );
}

/** Members by their words. */
function mergeEnums(
  existing: Enums,
  draft: Enums,
  used: ReadonlySet<string>,
  pairs: ReadonlyMap<string, string>,
): Enums | undefined {
  const names = [...new Set([...Object.keys(existing), ...Object.keys(draft)])].filter((name) =>
    used.has(name),
  );
  if (names.length === 0) return undefined;
  return Object.fromEntries(
    names.map((name) => {
      const [before, now] = [ownOf(existing, name), ownOf(draft, pairs.get(name) ?? name)];
      if (!before || !now) return [name, (before ?? now) as Enums[string]];
      const members = mergeNamed(before.members, now.members, ({ word }) => word) ?? {};
      return [name, { ...before, members, ...(now.unset !== undefined && { unset: now.unset }) }];
    }),
  );
}

const ownOf = <T>(entries: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(entries, name) ? entries[name] : undefined;

/** Entries that the draft has, too, stay as they are; new ones come last, under a name that is free. */
function mergeNamed<T>(
  existing: Readonly<Record<string, T>> | undefined,
  draft: Readonly<Record<string, T>> | undefined,
  identify: (entry: T) => unknown,
): Record<string, T> | undefined {
  if (!draft) return undefined;
  const now = new Set(Object.values(draft).map(identify));
  const kept = Object.entries(existing ?? {}).filter(([, entry]) => now.has(identify(entry)));
  const known = new Set(kept.map(([, entry]) => identify(entry)));
  const merged = new Map(kept);
  for (const [name, entry] of Object.entries(draft))
    if (!known.has(identify(entry))) merged.set(merged.has(name) ? `${name}2` : name, entry);
  return Object.fromEntries(merged);
}

/** A relation stays while its navigation or the field with its id is there. */
function mergeRelations(existing: Relations, draft: Relations, fields: Fields): Relations | undefined {
  const navigations = new Set(Object.values(draft).flatMap(({ navigation }) => navigation ?? []));
  const merged = new Map<string, Relations[string]>();
  for (const [name, { idField, navigation, ...rest }] of Object.entries(existing)) {
    const ways = {
      ...(idField !== undefined && Object.hasOwn(fields, idField) && { idField }),
      ...(navigation !== undefined && navigations.has(navigation) && { navigation }),
    };
    if (Object.keys(ways).length > 0) merged.set(name, { ...rest, ...ways });
  }
  const known = new Set(Object.values(existing).flatMap(({ idField, navigation }) => [idField, navigation]));
  for (const [name, relation] of Object.entries(draft)) {
    const isKnown = [relation.idField, relation.navigation].some(
      (way) => way !== undefined && known.has(way),
    );
    const isTaken = merged.has(name) || Object.hasOwn(fields, name);
    const hasField = relation.idField === undefined || Object.hasOwn(fields, relation.idField);
    if (!isKnown && !isTaken && hasField) merged.set(name, relation);
  }
  return merged.size === 0 ? undefined : Object.fromEntries(merged);
}

function mergeRows(existing: Rows, draft: Rows): Rows | undefined {
  const rows = mergeNamed(existing, draft, ({ navigation }) => navigation) ?? {};
  const merged = Object.entries(rows).map(([name, row]) => {
    const now = Object.values(draft).find(({ navigation }) => navigation === row.navigation) ?? row;
    const fields = mergeFields(row.fields, now.fields);
    const relations = mergeRelations(row.relations ?? {}, now.relations ?? {}, fields);
    const { relations: _before, ...rest } = row;
    return [name, { ...rest, fields, ...(relations && { relations }) }] as const;
  });
  return merged.length === 0 ? undefined : Object.fromEntries(merged);
}

/** Only notes on new fields are added: those on the others stand in the file, where people may have changed them. */
function mergeOrigin(
  { origin: before }: RecordFile,
  { origin: now }: RecordFile,
  arrived: readonly string[],
) {
  if (!before || !now) return before ?? now;
  const isNew = (note: string) =>
    !before.notes?.includes(note) && arrived.some((name) => note.split(/\W+/).includes(name));
  const notes = [...(before.notes ?? []), ...(now.notes ?? []).filter(isNew)];
  return { ...before, metadata: now.metadata, date: now.date, ...(notes.length > 0 && { notes }) };
}
