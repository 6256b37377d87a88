import { InputError } from '../../errors.ts';
import { isValidDate } from '../../graph/date-time.ts';
import { quoteString } from '../../odata/collection.ts';
import { columnName, parseColumnValue } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import type { FieldKind, RecordSet } from '../record-set.ts';
import {
  buildListQuery,
  type CompiledList,
  compileList,
  type ListArguments,
  type ListQuery,
  type OwnerValues,
} from './filters.ts';
import { filterTooLong, maxQueryLength } from './pages.ts';

/** What a column of a list equals, as the record that the list belongs to has it. */
type OwnerValue = string | number | boolean | null;

/** The columns by which a list belongs to a record, with the values of that record. */
export type OwnerColumnValues = Readonly<Record<string, OwnerValue>>;

/** Compiles the queries of the lists of one operation; lists with the same arguments are compiled once. */
export type ListQueryCompiler = (
  set: RecordSet,
  dialect: Dialect,
  given: ListArguments,
  owner?: OwnerColumnValues,
) => ListQuery;

interface CompiledEntry {
  readonly set: RecordSet;
  readonly dialect: Dialect;
  readonly listArguments: ListArguments;
  /** The serialized arguments, created on first use. */
  key: string | null;
  /** Also caches the error of a failed compilation. */
  readonly compiled: () => CompiledList;
}

/**
 * Caches by argument values, because the interpreter creates new argument objects for each parent row. An array, because
 * most operations have one list.
 */
export function createListQueryCompiler(): ListQueryCompiler {
  const known: CompiledEntry[] = [];

  const compiledOf = (set: RecordSet, dialect: Dialect, given: ListArguments): CompiledList => {
    let key: string | null = null;
    for (const before of known) {
      if (before.set !== set || before.dialect !== dialect) continue;
      if (before.listArguments.filter !== given.filter || before.listArguments.orderBy !== given.orderBy) {
        before.key ??= serializeArguments(before.listArguments);
        key ??= serializeArguments(given);
        if (before.key !== key) continue;
      }
      return before.compiled();
    }
    const compiled = captureResult(() => requireSendable(compileList(set, dialect, given)));
    known.push({ set, dialect, listArguments: given, key, compiled });
    return compiled();
  };

  return (set, dialect, given, owner) =>
    given.filter == null && given.orderBy == null
      ? buildListQuery(unfilteredList, toLiterals(set, dialect, owner))
      : buildListQuery(compiledOf(set, dialect, given), toLiterals(set, dialect, owner));
}

const toLiterals = (set: RecordSet, dialect: Dialect, owner: OwnerColumnValues = {}): OwnerValues =>
  Object.fromEntries(
    Object.entries(owner).map(([column, value]) => [
      columnName(set, dialect, column),
      toLiteral(set.fields[column], dialect, value),
    ]),
  );

/** Null for a value of another kind than the column: no row has it. */
function toLiteral(kind: FieldKind | undefined, { encodeWord }: Dialect, value: OwnerValue): string | null {
  if (value === null) return null;
  switch (kind) {
    case 'dateTime':
      return String(value);
    case 'date':
      return isValidDate(value) ? String(value) : null;
    case 'uuid':
    case 'int':
    case 'safeInt':
    case 'decimal':
    case 'boolean': {
      const read = parseColumnValue(kind, value);
      return read === null || read instanceof Error ? null : String(read);
    }
    default:
      return quoteString(typeof kind === 'object' ? encodeWord(String(value)) : String(value));
  }
}

const serializeArguments = ({ filter, orderBy }: ListArguments) => JSON.stringify([filter, orderBy]);

const unfilteredList: CompiledList = { condition: true, orderBy: null, columns: [] };

function requireSendable(list: CompiledList): CompiledList {
  const { condition } = list;
  if (typeof condition === 'object' && condition.text.length > maxQueryLength)
    throw new InputError(filterTooLong);
  return list;
}

/** Runs a function once; the returned function repeats its result or error. */
function captureResult<Value>(make: () => Value): () => Value {
  try {
    const value = make();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
