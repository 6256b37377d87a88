import { ApiError } from '../api-error.ts';
import { dynamicsLineNames } from './documents/document-fields.ts';
import type { EntitySet, FieldValue, SetField } from './entity-set.ts';
import { entitySets, setNamed } from './entity-sets.ts';
import { itemsV1 } from './item-v1.ts';

/**
 * How area A behaves: as the document says or, where the two differ, as the real service does (gap: see
 * docs/upstream.md).
 */
export type DialectName = 'document' | 'dynamics';

export interface Dialect {
  /** An entity set with the fields, words and navigations of this dialect. */
  set(name: string): EntitySet;
  readonly itemsV1: EntitySet;
  /** Formats a stored time. */
  formatTime(time: string): string;
  /** Whether `$filter` and `$orderby` have the limits of the real service; the document shows none. */
  readonly restrictsFilters: boolean;
  /** The error code for a record that does not exist. */
  readonly missingRecordCode: string;
  readonly missingEtagError: ApiError;
  readonly staleEtagError: ApiError;
  /** The status for a record that exists already. The error code is the same in all dialects. */
  readonly duplicateStatus: number;
}

/** The error for an If-Match that is not an entity tag. */
export const invalidEtagError: ApiError = new ApiError(
  400,
  'BadRequest_InvalidToken',
  'Could not validate the client concurrency token required by the service. Please provide a valid token in the client request.',
);

const staleMessage = 'Another user has already changed the record.';

const dynamicsSets: ReadonlyMap<string, EntitySet> = new Map(
  entitySets.map((set) => [set.name, toDynamicsSet(set)]),
);

const dialects: Readonly<Record<DialectName, Dialect>> = {
  document: {
    set: setNamed,
    itemsV1,
    formatTime: (time) => time,
    restrictsFilters: false,
    missingRecordCode: 'Internal_RecordNotFound',
    missingEtagError: new ApiError(
      428,
      'PreconditionRequired',
      'The request must carry an If-Match header with the entity tag.',
    ),
    staleEtagError: new ApiError(412, 'PreconditionFailed', staleMessage),
    duplicateStatus: 409,
  },
  dynamics: {
    set: (name) => dynamicsSets.get(name) ?? setNamed(name),
    // v1.0 does not encode its words.
    itemsV1: { ...itemsV1, fields: itemsV1.fields.map((field) => withWireFormat(field, trimTimes)) },
    formatTime: trimTime,
    restrictsFilters: true,
    // Also the code for unknown paths.
    missingRecordCode: 'BadRequest_ResourceNotFound',
    missingEtagError: invalidEtagError,
    staleEtagError: new ApiError(409, 'Request_EntityChanged', staleMessage),
    duplicateStatus: 400,
  },
};

export const dialectOf = (name: DialectName): Dialect => dialects[name];

/** The error for a record or line with a key that exists already. `key` names the fields and values. */
export function duplicateKeyError(dialect: Dialect, { typeName }: EntitySet, key: string): ApiError {
  const table = typeName.replace(/[A-Z]/g, ' $&').replace(/^./, (first) => first.toUpperCase());
  return new ApiError(
    dialect.duplicateStatus,
    'Internal_EntityWithSameKeyExists',
    `The record in table ${table} already exists. Identification fields and values: ${key}`,
  );
}

type WireFormat = Pick<SetField, 'toWire'>;

function toDynamicsSet(set: EntitySet): EntitySet {
  const fields = set.fields.filter(({ kind }) => kind !== 'lines');
  return {
    ...set,
    fields: fields.map((field) => {
      const name = (set.linesOf && dynamicsLineNames[field.name]) || field.name;
      return { ...withWireFormat(field, trimTimes, encodeChoices), name };
    }),
    navigations: set.navigations.filter(({ isOnlyInDocument }) => !isOnlyInDocument),
  };
}

function withWireFormat(field: SetField, ...wires: ((field: SetField) => WireFormat)[]): SetField {
  return Object.assign({}, field, ...wires.map((wire) => wire(field)));
}

/** Removes trailing zeros from the fraction of a time. */
function trimTime(time: string): string {
  return time.replace(/(\.\d*?)0+Z$/, (_end, kept: string) => (kept === '.' ? 'Z' : `${kept}Z`));
}

function trimTimes({ kind }: SetField): WireFormat {
  return kind === 'dateTime' ? { toWire: (value) => trimTime(String(value)) } : {};
}

function encodeChoices({ choices }: SetField): WireFormat {
  if (!choices) return {};
  const encoded = new Map<FieldValue, string>(choices.map((word) => [word, encodeName(word)]));
  return { toWire: (value) => encoded.get(value) ?? value };
}

/** Encodes a word as an XML name: a character not allowed where it stands becomes `_x` and four hexadecimal digits. */
export function encodeName(word: string): string {
  return word.replaceAll(/^[0-9.]|[^A-Za-z0-9_.]/g, (character) => {
    const digits = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `_x${digits}_`;
  });
}
