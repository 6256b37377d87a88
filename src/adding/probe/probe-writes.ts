import { randomBytes } from 'node:crypto';
import type { FileField, RecordTypeFile } from '../../business/record-files/record-file.ts';
import { isJsonObject, type JsonObject } from '../../runtime/json.ts';
import { AddingError, usageError } from '../adding-error.ts';
import { parseOrNull, type Service } from '../service.ts';
import { createScratchRecords, type ScratchRecords } from './scratch-records.ts';
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
 * Finds out which columns a create and an update take, on records that it makes and deletes. A column counts as written when
 * the response shows the new value: services drop some values without a word. A refusal proves nothing about a column,
 * because the value may be what was wrong.
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
    .filter(([, { source, kind }]) => source === undefined && kind !== 'object')
    .map(([name, field]) => ({ name, column: field.column ?? name, field }))
    .filter(({ column }) => column !== 'id' && column !== 'lastModifiedDateTime');
  let updated: readonly string[] = [];
  let created: readonly string[] = [];
  let needed: readonly string[] = [];
  try {
    const first = await makeFirst(columns, scratch, readValues(options.values));
    needed = first.needed;
    updated = await probeUpdates(file, columns, first.record, scratch);
    await scratch.remove(first.record);
    const candidates = columns.filter(({ column }) => updated.includes(column) || needed.includes(column));
    created = await probeCreates(file, candidates, first.body, scratch);
  } finally {
    await scratch.removeAll();
  }
  note(`Probed writes with ${service.calls - before} calls. Every record that was made is deleted.`);
  return applyWrites(file, { updated, created, needed, isDeletable: scratch.hasDeleted }, today);
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
): Promise<string[]> {
  const taken: string[] = [];
  let current = record;
  for (const { column, field } of columns) {
    const value = writeValue(file, column, field, current[column]);
    if (value === undefined) continue;
    const changed = await scratch.change(current, { [column]: value });
    if (changed === null) continue;
    current = changed;
    if (isShown(changed[column], value)) taken.push(column);
  }
  return taken;
}

/** Makes records of many columns at once; where that is refused, of each half. Each is deleted at once. */
async function probeCreates(
  file: RecordTypeFile,
  columns: readonly Column[],
  body: JsonObject,
  scratch: ScratchRecords,
): Promise<string[]> {
  const values = columns.flatMap(({ column, field }) => {
    const value = Object.hasOwn(body, column) ? body[column] : writeValue(file, column, field, undefined);
    return value === undefined ? [] : [[column, value] as const];
  });
  if (values.length === 0) return [];
  const made = await scratch.make({ ...body, ...Object.fromEntries(values) });
  if (made.isOk) {
    await scratch.remove(made.record);
    return values.flatMap(([column, value]) => (isShown(made.record[column], value) ? [column] : []));
  }
  if (columns.length === 1) return [];
  const middle = Math.ceil(columns.length / 2);
  const first = await probeCreates(file, columns.slice(0, middle), body, scratch);
  return [...first, ...(await probeCreates(file, columns.slice(middle), body, scratch))];
}

interface WriteFindings {
  readonly updated: readonly string[];
  readonly created: readonly string[];
  /** Columns without which a create was refused, and with which it was not. */
  readonly needed: readonly string[];
  readonly isDeletable: boolean;
}

function applyWrites(file: RecordTypeFile, found: WriteFindings, today: string): RecordTypeFile {
  const fields = Object.entries(file.fields).map(([name, field]) => {
    const column = field.column ?? name;
    const writes = [
      ...(found.created.includes(column) ? (['create'] as const) : []),
      ...(found.updated.includes(column) ? (['update'] as const) : []),
    ];
    if (writes.length === 0) return [name, field] as const;
    const all = [...new Set([...(field.writes ?? []), ...writes])].sort();
    const isRequired = field.isRequired || found.needed.includes(column);
    return [name, { ...field, writes: all, ...(isRequired && { isRequired }) }] as const;
  });
  const proven = [
    'create' as const,
    ...(found.updated.length > 0 ? (['update'] as const) : []),
    ...(found.isDeletable ? (['delete'] as const) : []),
  ];
  const order = ['create', 'update', 'delete'] as const;
  const writes = order.filter((write) => proven.includes(write) || file.writes?.includes(write));
  const { metadata = 'written by hand', date = today, ...origin } = file.origin ?? {};
  return {
    ...file,
    fields: Object.fromEntries(fields),
    writes,
    origin: { ...origin, metadata, date, probed: today },
  };
}
