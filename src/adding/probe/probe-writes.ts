import { randomBytes } from 'node:crypto';
import type { FileField, RecordTypeFile } from '../../business/record-files/record-file.ts';
import { isJsonObject, type JsonObject } from '../../runtime/json.ts';
import { AddingError, usageError } from '../adding-error.ts';
import { parseOrNull, type Service } from '../service.ts';
import { createScratchRecords, type ScratchRecords } from './scratch-records.ts';
import { applyWrites, type Outcome, type Outcomes } from './write-findings.ts';
import { isShown, writeValue } from './write-values.ts';

export interface ProbeWritesOptions {
  readonly company: string;
  readonly today: string;
  /** JSON of an object: values that a new record needs, by column. */
  readonly values: string | undefined;
  note(text: string): void;
}

interface Column {
  readonly name: string;
  readonly column: string;
  readonly field: FileField;
}

/**
 * Finds out which columns a create and an update take, on records that it makes and deletes. A column that was asked for
 * counts as written only where the response shows the new value: services drop some values without a word.
 */
export async function probeWrites(
  file: RecordTypeFile,
  service: Service,
  options: ProbeWritesOptions,
): Promise<RecordTypeFile> {
  const { note, today } = options;
  if (file.key && !(file.key.length === 1 && file.key[0]?.column === 'id'))
    throw usageError(`${file.entitySet} has a key other than id: its writes are not probed.`);
  const before = service.calls;
  const scratch = createScratchRecords(service, { ...file, company: options.company }, note);
  const columns = Object.entries(file.fields)
    .filter(([, { kind }]) => kind !== 'object')
    .map(([name, field]) => ({ name, column: field.column ?? name, field }))
    .filter(({ column }) => column !== 'id' && column !== 'lastModifiedDateTime');
  let updated: Outcomes = new Map();
  let created: Outcomes = new Map();
  let needed: readonly string[] = [];
  try {
    const first = await makeFirst(columns, scratch, readValues(options.values));
    needed = first.needed;
    updated = await probeUpdates(file, columns, first.record, scratch);
    await scratch.remove(first.record);
    const candidates = columns.filter(
      ({ column, field }) =>
        updated.get(column) === 'shown' ||
        Object.hasOwn(first.body, column) ||
        field.writes?.includes('create'),
    );
    created = await probeCreates(listValues(file, candidates, first), first.body, scratch);
  } finally {
    await scratch.removeAll();
  }
  note(`Probed writes with ${service.calls - before} calls. Every record that was made is deleted.`);
  const { file: next, notes } = applyWrites(
    file,
    { updated, created, needed, isDeletable: scratch.hasDeleted },
    today,
  );
  for (const each of notes) note(each);
  return next;
}

function readValues(text: string | undefined): JsonObject {
  const values = text === undefined ? {} : parseOrNull(text);
  if (isJsonObject(values)) return values;
  throw usageError('--write-values is not a JSON object, such as {"displayName": "Probe"}.');
}

/** Makes a record of as little as the service takes: nothing, then what most records need. */
async function makeFirst(columns: readonly Column[], scratch: ScratchRecords, given: JsonObject) {
  const text = `Tributary probe ${randomBytes(3).toString('hex')}`;
  const usual = ['displayName', 'name', 'description'].filter((name) =>
    columns.some(({ column, field }) => column === name && field.kind === 'text'),
  );
  const number = columns.find(({ column }) => column === 'number' || column === 'code');
  const named = Object.fromEntries(usual.slice(0, 1).map((name) => [name, text]));
  const coded = number ? { [number.column]: `TP${randomBytes(3).toString('hex').toUpperCase()}` } : {};
  const bodies: readonly JsonObject[] =
    Object.keys(given).length > 0 ? [given] : [{}, named, { ...named, ...coded }];
  let reason = '';
  for (const [index, body] of bodies.entries()) {
    const made = await scratch.make(body);
    if (made.isOk) return { record: made.record, body, needed: index === 1 ? Object.keys(named) : [] };
    reason = made.reason;
  }
  throw new AddingError(
    `No record could be made, so writes were not probed: ${reason} Give what a new record needs with --write-values '{"column": value}'. Nothing was written.`,
  );
}

async function probeUpdates(
  file: RecordTypeFile,
  columns: readonly Column[],
  record: JsonObject,
  scratch: ScratchRecords,
): Promise<Outcomes> {
  const outcomes = new Map<string, Outcome>();
  let current = record;
  for (const { column, field } of columns) {
    const value = writeValue(file, column, field, current[column]);
    if (value === undefined) continue;
    const changed = await scratch.change(current, { [column]: value });
    if (changed.kind === 'notAsked') continue;
    if (changed.kind === 'refused') outcomes.set(column, 'refused');
    else {
      current = changed.record;
      outcomes.set(column, outcomeOf(current[column], value));
    }
  }
  return outcomes;
}

const outcomeOf = (shown: unknown, written: unknown): Outcome =>
  isShown(shown, written) ? 'shown' : 'dropped';

type Value = readonly [column: string, value: unknown];

/** Values for a create: those that were given, and others than a record has without being given any. */
const listValues = (
  file: RecordTypeFile,
  columns: readonly Column[],
  { record, body }: { readonly record: JsonObject; readonly body: JsonObject },
): readonly Value[] =>
  columns.flatMap(({ column, field }): Value[] => {
    const value = Object.hasOwn(body, column)
      ? body[column]
      : writeValue(file, column, field, record[column]);
    return value === undefined ? [] : [[column, value]];
  });

/** Makes records of many columns at once; where that is refused, of each half. Each is deleted at once. */
async function probeCreates(
  values: readonly Value[],
  body: JsonObject,
  scratch: ScratchRecords,
): Promise<Outcomes> {
  if (values.length === 0) return new Map();
  const made = await scratch.make({ ...body, ...Object.fromEntries(values) });
  if (made.isOk) {
    await scratch.remove(made.record);
    return new Map(values.map(([column, value]) => [column, outcomeOf(made.record[column], value)]));
  }
  if (values.length === 1) return new Map(values.map(([column]) => [column, 'refused']));
  const middle = Math.ceil(values.length / 2);
  const first = await probeCreates(values.slice(0, middle), body, scratch);
  return new Map([...first, ...(await probeCreates(values.slice(middle), body, scratch))]);
}
