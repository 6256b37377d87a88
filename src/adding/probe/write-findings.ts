import type { FileField, RecordTypeFile } from '../../business/record-files/record-file.ts';

/** What a write of a column came to: the response shows the value, or another one, or the service refused it. */
export type Outcome = 'shown' | 'dropped' | 'refused';

/** By column. One that is missing was not asked for: no value is known for it, or no calls were left. */
export type Outcomes = ReadonlyMap<string, Outcome>;

export interface WriteFindings {
  readonly updated: Outcomes;
  readonly created: Outcomes;
  /** Columns without which a create was refused, and with which it was not. */
  readonly needed: readonly string[];
  readonly isDeletable: boolean;
}

/** Begins every note of a probe of writes, so that the next one replaces them. */
const notePrefix = 'Probe of writes: ';
const maxNoteLength = 1_500;

/** Writes findings into a record file. What was not asked for stays as it was. */
export function applyWrites(
  file: RecordTypeFile,
  found: WriteFindings,
  today: string,
): { readonly file: RecordTypeFile; readonly notes: readonly string[] } {
  const entries = Object.entries(file.fields).map(
    ([name, field]) => [name, applyToField(field, field.column ?? name, found)] as const,
  );
  const canUpdate = entries.some(([, { writes }]) => writes?.includes('update'));
  const writes = (['create', 'update', 'delete'] as const).filter(
    (write) =>
      write === 'create' ||
      (write === 'update' ? canUpdate : found.isDeletable || file.writes?.includes(write)),
  );
  const notes = listNotes(file, found);
  const { origin } = file;
  const kept = (origin?.notes ?? []).filter((note) => !note.startsWith(notePrefix));
  const all = [...kept, ...notes];
  return {
    file: {
      ...file,
      fields: Object.fromEntries(entries),
      writes,
      origin: {
        metadata: origin?.metadata ?? 'written by hand',
        date: origin?.date ?? today,
        probed: today,
        ...(all.length > 0 && { notes: all }),
      },
    },
    notes,
  };
}

function applyToField(field: FileField, column: string, found: WriteFindings): FileField {
  const { writes: before = [], isRequired, ...rest } = field;
  const isTaken = (write: 'create' | 'update', outcomes: Outcomes) =>
    (outcomes.get(column) ?? (before.includes(write) ? 'shown' : 'refused')) === 'shown';
  const writes = [
    ...(isTaken('create', found.created) ? (['create'] as const) : []),
    ...(isTaken('update', found.updated) ? (['update'] as const) : []),
  ];
  const isNeeded = writes.includes('create') && (isRequired || found.needed.includes(column));
  return { ...rest, ...(writes.length > 0 && { writes }), ...(isNeeded && { isRequired: true }) };
}

/** What was not proven, and why. */
function listNotes({ entitySet, fields }: RecordTypeFile, found: WriteFindings): readonly string[] {
  const columns = Object.entries(fields).map(([name, field]) => ({ ...field, column: field.column ?? name }));
  const withOutcome = (outcomes: Outcomes, outcome: Outcome | undefined, write: 'create' | 'update') =>
    columns
      .filter(
        ({ column, writes }) =>
          outcomes.get(column) === outcome && (outcome !== undefined || writes?.includes(write)),
      )
      .map(({ column }) => column);
  const notes: readonly (readonly [what: string, names: readonly string[]])[] = [
    ['updates drop the values of', withOutcome(found.updated, 'dropped', 'update')],
    ['creates drop the values of', withOutcome(found.created, 'dropped', 'create')],
    ["updates refuse the probe's values of", withOutcome(found.updated, 'refused', 'update')],
    ["creates refuse the probe's values of", withOutcome(found.created, 'refused', 'create')],
    [
      'these stay as they were in updates, because they were not asked for',
      withOutcome(found.updated, undefined, 'update'),
    ],
    [
      'these stay as they were in creates, because they were not asked for',
      withOutcome(found.created, undefined, 'create'),
    ],
  ];
  return notes.flatMap(([what, names]) =>
    names.length > 0
      ? [`${notePrefix}of ${entitySet}, ${what}: ${names.join(', ').slice(0, maxNoteLength)}.`]
      : [],
  );
}
