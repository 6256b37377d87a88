import { invalidInput, type UserError } from '../../graph/user-errors.ts';
import { parseId, toKeyValue } from '../record-key.ts';
import type { RecordSet } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { sourceOf, sourceSetsOf } from '../sources/record-sources.ts';
import { splitEtag } from '../sources/source-etags.ts';
import { quoteFields, type WriteInput } from './write-fields.ts';
import type { RecordWrite } from './writes.ts';

/** A write of a record whose type may have several sources. */
export interface SourcedWrite {
  readonly recordType: RecordTypeDescriptor;
  readonly write: RecordWrite;
}

/** A write by the sets that it concerns. */
export interface Plan {
  readonly recordType: RecordTypeDescriptor;
  readonly write: RecordWrite;
  /** What the type's own set is sent; null where only sources are. */
  readonly own: RecordWrite | null;
  readonly additions: readonly Addition[];
  readonly faults: readonly UserError[];
}

/** What one source is sent. */
export interface Addition {
  readonly name: string;
  readonly set: RecordSet;
  readonly fields: WriteInput;
  /** The version of its row that is to be changed; null where it has no row of the record yet; `*` for any, or none. */
  readonly ifMatch: string | null;
}

export function planWrite({ recordType, write }: SourcedWrite): Plan {
  const plain = { recordType, write, own: write, additions: [], faults: [] };
  if (!recordType.sources) return plain;
  if (write.write === 'delete') {
    const main = splitEtag(write.target.ifMatch).main ?? '';
    return { ...plain, own: { ...write, target: { ...write.target, ifMatch: main } } };
  }
  const given = write.write === 'create' ? write.target.fields : write.target.patch;
  const { own, bySource } = splitFields(recordType, given);
  if (write.write === 'create') {
    const additions = toAdditions(recordType, bySource, () => '*');
    return { ...plain, own: { ...write, target: { ...write.target, fields: own } }, additions };
  }
  const { ifMatch, path } = write.target;
  const parts = splitEtag(ifMatch);
  const isAny = ifMatch === '*';
  const unknown = [...bySource.keys()].filter((name) => !isAny && !Object.hasOwn(parts.sources, name));
  const faults = unknown.map((name) =>
    invalidInput(
      `\`ifMatch\` does not say which version of ${quoteFields(bySource.get(name) ?? {})} is to be changed. Read \`etag\` together with a field of the same set, or pass \`*\`.`,
      ...path,
      'ifMatch',
    ),
  );
  const target = { ...write.target, ifMatch: parts.main ?? '', patch: own };
  const isOwnEmpty = Object.keys(own).length === 0 && bySource.size > 0;
  return {
    ...plain,
    own: isOwnEmpty ? null : { ...write, target },
    additions: toAdditions(recordType, bySource, (name) => (isAny ? '*' : (parts.sources[name] ?? null))),
    faults: [...(write.target.faults ?? []), ...faults],
  };
}

function splitFields(recordType: RecordTypeDescriptor, given: WriteInput) {
  const own: Record<string, unknown> = {};
  const bySource = new Map<string, Record<string, unknown>>();
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const name = sourceOf(recordType, field);
    if (name === null) own[field] = value;
    else bySource.set(name, { ...bySource.get(name), [field]: value });
  }
  return { own, bySource };
}

const toAdditions = (
  recordType: RecordTypeDescriptor,
  bySource: ReadonlyMap<string, WriteInput>,
  ifMatchOf: (name: string) => string | null,
): Addition[] =>
  [...bySource].map(([name, fields]) => ({
    name,
    set: sourceSetsOf(recordType).get(name) as RecordSet,
    fields,
    ifMatch: ifMatchOf(name),
  }));

/** The columns of a key that is no GUID, as a create sends them: with it, the source has its row under the record's id. */
export function keyFieldsOf({ key }: RecordSet, id: string): WriteInput {
  const values = (key && parseId(key, id)) ?? [];
  return Object.fromEntries(
    (key ?? []).map(({ column, kind }, index) => [column, toKeyValue(kind, values[index] ?? '')]),
  );
}
