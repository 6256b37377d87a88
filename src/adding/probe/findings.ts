import type { FileField, RecordFile, RecordTypeFile } from '../../business/record-files/record-file.ts';

/** What the responses of one entity set have proven, by the names of its columns and navigations. */
export interface Findings {
  readonly entitySet: string;
  readonly unselectable: readonly string[];
  readonly filterable: readonly string[];
  readonly unfilterable: readonly string[];
  readonly sortable: readonly string[];
  readonly unsortable: readonly string[];
  readonly unexpandable: readonly string[];
  /** Where the limit of calls was reached before. */
  readonly notAsked: readonly string[];
}

/** Begins every note of a probe, so that the next one replaces them. */
const notePrefix = 'Probe: ';
const maxNoteLength = 1_500;

/** Writes findings into a record file. */
export function applyFindings(file: RecordFile, found: Findings, today: string): RecordFile {
  const fields = Object.entries(file.fields).flatMap(([name, field]) => {
    const column = field.column ?? name;
    return found.unselectable.includes(column) ? [] : [[name, applyToField(field, column, found)] as const];
  });
  const next = {
    ...file,
    fields: Object.fromEntries(fields),
    origin: addNotes(file, found, today),
  } as RecordFile;
  return withoutNavigations(next, new Set(found.unexpandable));
}

function applyToField(field: FileField, column: string, found: Findings): FileField {
  const { canFilter, canSort, ...rest } = field;
  const decide = (before: boolean | undefined, yes: readonly string[], no: readonly string[]) =>
    no.includes(column) ? false : yes.includes(column) ? undefined : before;
  const filter = decide(canFilter, found.filterable, found.unfilterable);
  const sort = decide(canSort, found.sortable, found.unsortable);
  // True is what is meant where nothing is said.
  return {
    ...rest,
    ...(filter !== undefined && { canFilter: filter }),
    ...(sort !== undefined && { canSort: sort }),
  };
}

/** A relation that cannot be expanded is still reached by the field with its id; rows come by `$expand` alone. */
function withoutNavigations(file: RecordTypeFile, refused: ReadonlySet<string>): RecordTypeFile {
  const relations = Object.entries(file.relations ?? {}).flatMap(
    ([name, { idField, navigation, ...rest }]) => {
      const ways = {
        ...(idField !== undefined && Object.hasOwn(file.fields, idField) && { idField }),
        ...(navigation !== undefined && !refused.has(navigation) && { navigation }),
      };
      return Object.keys(ways).length > 0 ? [[name, { ...rest, ...ways }] as const] : [];
    },
  );
  const rows = Object.entries(file.rows ?? {}).filter(([, { navigation }]) => !refused.has(navigation));
  const lists = Object.entries(file.listedBy ?? {}).filter(([, { fields }]) =>
    Object.keys(fields).every((name) => Object.hasOwn(file.fields, name)),
  );
  const { relations: _relations, rows: _rows, listedBy: _listedBy, ...rest } = file;
  return {
    ...rest,
    ...(relations.length > 0 && { relations: Object.fromEntries(relations) }),
    ...(rows.length > 0 && { rows: Object.fromEntries(rows) }),
    ...(lists.length > 0 && { listedBy: Object.fromEntries(lists) }),
  };
}

function addNotes({ origin }: RecordFile, found: Findings, today: string) {
  const notes = [
    ['cannot be selected, and are left out', found.unselectable],
    ['cannot be filtered', found.unfilterable],
    ['cannot be sorted by', found.unsortable],
    ['cannot be expanded', found.unexpandable],
    ['were not asked for, because the limit of calls was reached', found.notAsked],
  ].flatMap(([what, names]) =>
    names && names.length > 0
      ? [
          `${notePrefix}of ${found.entitySet}, these ${what}: ${(names as readonly string[]).join(', ').slice(0, maxNoteLength)}.`,
        ]
      : [],
  );
  const kept = (origin?.notes ?? []).filter((note) => !note.startsWith(notePrefix));
  const all = [...kept, ...notes];
  return {
    metadata: origin?.metadata ?? 'written by hand',
    date: origin?.date ?? today,
    probed: today,
    ...(all.length > 0 && { notes: all }),
  };
}
