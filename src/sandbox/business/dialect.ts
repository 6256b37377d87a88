import { Refusal } from '../refusal.ts';
import type { FilterRules } from './filter-rules.ts';
import { allFilters, dynamicsFilters } from './filter-rules.ts';
import { itemsV1 } from './item-v1.ts';
import { lineNames } from './line-names.ts';
import { recordSets, setNamed } from './record-sets.ts';
import type { Field, RecordSet, Value } from './records.ts';

/**
 * How area A speaks: as the document has it, or as the real service does where the two differ
 * (gap: see docs/upstream.md).
 */
export type DialectName = 'document' | 'dynamics';

export interface Dialect {
  /** A record set with the fields, words and navigations of this dialect. */
  set(name: string): RecordSet;
  readonly itemsV1: RecordSet;
  filterRules(schemaVersion: string | undefined): FilterRules;
  readonly missingTag: Refusal;
  readonly staleTag: Refusal;
  /** The status of a record that is there already; the code is the same everywhere. */
  readonly duplicateStatus: number;
}

/** The refusal of an If-Match that is no entity tag. */
export const invalidTag: Refusal = new Refusal(
  400,
  'BadRequest_InvalidToken',
  'Could not validate the client concurrency token required by the service. Please provide a valid token in the client request.',
);

const changedMeanwhile = 'Another user has already changed the record.';

const dynamicsSets: ReadonlyMap<string, RecordSet> = new Map(
  recordSets.map((set) => [set.name, inDynamics(set)]),
);

const dialects: Readonly<Record<DialectName, Dialect>> = {
  document: {
    set: setNamed,
    itemsV1,
    filterRules: () => allFilters,
    missingTag: new Refusal(
      428,
      'PreconditionRequired',
      'The request must carry an If-Match header with the entity tag.',
    ),
    staleTag: new Refusal(412, 'PreconditionFailed', changedMeanwhile),
    duplicateStatus: 409,
  },
  dynamics: {
    set: (name) => dynamicsSets.get(name) ?? setNamed(name),
    // The old version sends its words plain.
    itemsV1: { ...itemsV1, fields: itemsV1.fields.map((field) => withWire(field, trimmedTimes)) },
    filterRules: dynamicsFilters,
    missingTag: invalidTag,
    staleTag: new Refusal(409, 'Request_EntityChanged', changedMeanwhile),
    duplicateStatus: 400,
  },
};

/** The dialect of a name. */
export const dialectOf = (name: DialectName): Dialect => dialects[name];

/** The refusal of a record, or line, whose key another one has; `key` says which. */
export function duplicateKey(dialect: Dialect, { typeName }: RecordSet, key: string): Refusal {
  const table = typeName.replace(/[A-Z]/g, ' $&').replace(/^./, (first) => first.toUpperCase());
  return new Refusal(
    dialect.duplicateStatus,
    'Internal_EntityWithSameKeyExists',
    `The record in table ${table} already exists. Identification fields and values: ${key}`,
  );
}

type Wire = Pick<Field, 'toWire'>;

function inDynamics(set: RecordSet): RecordSet {
  const fields = set.fields.filter(({ kind }) => kind !== 'lines');
  return {
    ...set,
    fields: fields.map((field) => {
      const name = (set.linesOf && lineNames[field.name]) || field.name;
      return { ...withWire(field, trimmedTimes, encodedWords), name };
    }),
    navigations: set.navigations.filter(({ name }) => name !== 'documentLines'),
  };
}

function withWire(field: Field, ...wires: ((field: Field) => Wire)[]): Field {
  return Object.assign({}, field, ...wires.map((wire) => wire(field)));
}

/** Times lose the zeros at the end of their fraction, and a point with nothing behind it. */
function trimmedTimes({ kind }: Field): Wire {
  if (kind !== 'dateTime') return {};
  return {
    toWire: (value) =>
      String(value).replace(/(\.\d*?)0+Z$/, (_end, kept: string) => (kept === '.' ? 'Z' : `${kept}Z`)),
  };
}

function encodedWords({ choices }: Field): Wire {
  if (!choices) return {};
  const encoded = new Map<Value, string>(choices.map((word) => [word, encodeName(word)]));
  return { toWire: (value) => encoded.get(value) ?? value };
}

/** Writes a word as an XML name: each character that cannot stand in one by its four hexadecimal digits. */
function encodeName(word: string): string {
  return word.replaceAll(/[^A-Za-z0-9_.]/g, (character) => {
    const digits = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `_x${digits}_`;
  });
}
