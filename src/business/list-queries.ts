import { InputError } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import { type CompiledList, compileList, type ListArguments, type ListQuery, queryOf } from './filters.ts';
import { maxQueryLength, tooLong } from './pages.ts';
import type { RecordSet } from './records.ts';

/** The queries of the lists of one operation, whose arguments are compiled once for all lists that have the same. */
export type ListQueries = (
  set: RecordSet,
  dialect: Dialect,
  given: ListArguments,
  owner?: Readonly<Record<string, string>>,
) => ListQuery;

/**
 * By their values, as the executor makes the arguments anew for each parent row. What cannot be compiled is not tried
 * again either.
 */
export function createListQueries(): ListQueries {
  const compiled = new Map<Dialect, Map<RecordSet, Map<string, () => CompiledList>>>();

  const compiledOf = (set: RecordSet, dialect: Dialect, given: ListArguments): (() => CompiledList) => {
    const ofDialect = compiled.get(dialect) ?? new Map<RecordSet, Map<string, () => CompiledList>>();
    compiled.set(dialect, ofDialect);
    const ofSet = ofDialect.get(set) ?? new Map<string, () => CompiledList>();
    ofDialect.set(set, ofSet);
    const key = JSON.stringify([given.filter, given.orderBy]);
    const before = ofSet.get(key);
    if (before) return before;
    const made = attempt(() => sendable(compileList(set, dialect, given)));
    ofSet.set(key, made);
    return made;
  };

  return (set, dialect, given, owner) =>
    given.filter == null && given.orderBy == null
      ? queryOf(everything, owner)
      : queryOf(compiledOf(set, dialect, given)(), owner);
}

const everything: CompiledList = { condition: true, orderBy: null, columns: [] };

function sendable(list: CompiledList): CompiledList {
  const { condition } = list;
  if (typeof condition === 'object' && condition.text.length > maxQueryLength) throw new InputError(tooLong);
  return list;
}

/** What a function gives, or throws, however often it is asked for. */
function attempt<Value>(make: () => Value): () => Value {
  try {
    const value = make();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
