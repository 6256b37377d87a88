type Fields = Readonly<Record<string, unknown>>;

export interface SizedMutationAnswer {
  readonly value: Fields;
  readonly text: string;
  /** What was left out, as a sentence; null if nothing was. */
  readonly omitted: string | null;
}

/**
 * Serializes the answer of a mutation. Above `maxCharacters`, its records lose fields, never the entries of a list of results
 * or their errors: a list that is shortened would hide what failed, and an agent would send the rest again.
 */
export function sizeMutationAnswer(answer: Fields, maxCharacters: number): SizedMutationAnswer {
  const text = JSON.stringify(answer);
  if (text.length <= maxCharacters) return { value: answer, text, omitted: null };
  for (const { omitted, reduce } of reductions) {
    const value = { ...answer, data: mapFields(answer.data, (payload) => mapFields(payload, reduce)) };
    const reduced = JSON.stringify(value);
    if (reduced.length <= maxCharacters) return { value, text: reduced, omitted };
  }
  const { data: _data, ...rest } = answer;
  const kept = JSON.stringify(rest);
  const value = kept.length <= maxCharacters ? rest : {};
  return { value, text: JSON.stringify(value), omitted: 'All data is left out.' };
}

interface Reduction {
  readonly omitted: string;
  /** Reduces a field of a payload: a record, a list of results, or a list of errors. */
  readonly reduce: (value: unknown) => unknown;
}

// Of an answer without these an agent could not even find the record.
const identifiers: ReadonlySet<string> = new Set(['id', 'etag', 'number', 'state']);

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapFields = (value: unknown, map: (field: unknown) => unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, field]) => [key, map(field)]))
    : value;

const pick = (record: Fields, isKept: (key: string, field: unknown) => boolean): Fields =>
  Object.fromEntries(Object.entries(record).filter(([key, field]) => isKept(key, field)));

/** Reduces the records of a payload and of its list of results. Lists of an entry are errors, and stay. */
const ofRecords = (reduce: (record: Fields) => unknown) => {
  const reduceRecord = (value: unknown) => (isObject(value) ? reduce(value) : value);
  return (field: unknown): unknown =>
    Array.isArray(field) ? field.map((entry) => mapFields(entry, reduceRecord)) : reduceRecord(field);
};

const identifiersOf = ofRecords((record) => pick(record, (key) => identifiers.has(key)));

const hasSucceeded = (entry: unknown): boolean => {
  const lists = isObject(entry) ? Object.values(entry).filter(Array.isArray) : [];
  return lists.length > 0 && lists.every((list) => list.length === 0);
};

const reductions: readonly Reduction[] = [
  {
    omitted: 'Records are shown without their lists and objects.',
    reduce: ofRecords((record) => pick(record, (_key, field) => typeof field !== 'object' || field === null)),
  },
  {
    omitted: 'Of each record, `id`, `etag`, `number` and `state` are shown, where they were selected.',
    reduce: identifiersOf,
  },
  {
    omitted: 'Results without errors are null.',
    reduce: (field) => {
      const reduced = identifiersOf(field);
      return Array.isArray(reduced) ? reduced.map((entry) => (hasSucceeded(entry) ? null : entry)) : reduced;
    },
  },
];
