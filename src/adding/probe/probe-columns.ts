import type { FileField } from '../../business/record-files/record-file.ts';
import type { JsonObject } from '../../runtime/json.ts';
import { AddingError } from '../adding-error.ts';
import { type Ask, bisect, type Split } from './asking.ts';
import { falseCondition, type KeyColumn, keyCondition } from './conditions.ts';
import type { Findings } from './findings.ts';

interface ColumnsToProbe {
  readonly entitySet: string;
  readonly key: readonly KeyColumn[];
  readonly fields: Readonly<Record<string, FileField>>;
  readonly navigations: readonly string[];
}

interface Column {
  readonly name: string;
  readonly kind: FileField['kind'];
}

/** Asks for one entity set: one call for a record, then for `$select`, `$filter`, `$orderby` and `$expand`. */
export async function probeColumns(
  set: ColumnsToProbe,
  ask: Ask,
  note: (text: string) => void,
): Promise<Findings> {
  const { entitySet, key } = set;
  const columns = Object.entries(set.fields).map(([name, { column, kind }]) => ({
    name: column ?? name,
    kind,
  }));
  const first = await ask({ $top: '2' });
  if (first.kind !== 'accepted')
    throw new AddingError(
      `${entitySet} was not probed: ${first.kind === 'refused' ? `the service refuses to list it: ${first.reason}` : 'no calls are left.'} Nothing was written.`,
    );
  const [row] = first.rows;
  if (!row)
    note(
      `${entitySet} has no records in this company: what needs one to be proven stays as it was. Name another company with --company <id>.`,
    );
  const names = columns.map(({ name }) => name);
  const selected = await bisect(names, (some) => ask({ $select: some.join(','), $top: '1' }));
  tellRefused('selected', selected, note);
  const isKey = (name: string) => key.some(({ column }) => column === name);
  const left = columns.filter(({ name, kind }) => kind !== 'object' && !selected.refused.has(name));
  const filtered = await probeFilters(left, key, row, ask, note);
  const sorted = await probeOrders(
    left.map(({ name }) => name),
    key,
    first.rows,
    ask,
    note,
  );
  const expanded = await probeExpansions(set.navigations, row, ask, note);
  return {
    entitySet,
    unselectable: [...selected.refused.keys()].filter((name) => !isKey(name)),
    ...filtered,
    ...sorted,
    ...expanded,
    notAsked: [
      ...new Set([...selected.notAsked, ...filtered.notAsked, ...sorted.notAsked, ...expanded.notAsked]),
    ],
  };
}

/** One call for each column: in a common one, a condition that is not applied could not be told from one that is. */
async function probeFilters(
  columns: readonly Column[],
  key: readonly KeyColumn[],
  row: JsonObject | undefined,
  ask: Ask,
  note: (text: string) => void,
) {
  const filterable: string[] = [];
  const unfilterable: string[] = [];
  const notAsked: string[] = [];
  const result = { filterable, unfilterable, notAsked };
  const one = row ? keyCondition(key, row) : null;
  if (!row || one === null) return result;
  const control = await ask({ $filter: one, $top: '2' });
  if (control.kind === 'notAsked') return { ...result, notAsked: columns.map(({ name }) => name) };
  if (control.kind === 'refused') {
    note(`The key cannot be filtered, so filters were not probed: ${control.reason}`);
    return result;
  }
  if (control.rows.length !== 1 || keyCondition(key, control.rows[0] ?? {}) !== one) {
    note('The service answers a filter by the key with other records: it does not apply $filter.');
    return { ...result, unfilterable: columns.map(({ name }) => name) };
  }
  for (const { name, kind } of columns) {
    const condition = Object.hasOwn(row, name) ? falseCondition(name, kind, row[name]) : null;
    if (condition === null) continue;
    const verdict = await ask({ $filter: `${one} and ${condition}`, $top: '1' });
    if (verdict.kind === 'notAsked') notAsked.push(name);
    else if (verdict.kind === 'accepted' && verdict.rows.length === 0) filterable.push(name);
    else {
      unfilterable.push(name);
      const reason = verdict.kind === 'refused' ? verdict.reason : 'the condition is not applied.';
      note(`${name} cannot be filtered: ${reason}`);
    }
  }
  return result;
}

/** Whether the service sorts at all is shown by the key in both directions; which columns, by refusals. */
async function probeOrders(
  names: readonly string[],
  key: readonly KeyColumn[],
  rows: readonly JsonObject[],
  ask: Ask,
  note: (text: string) => void,
) {
  const by = key[0]?.column ?? 'id';
  const firstBy = async (direction: 'asc' | 'desc') => {
    const verdict = await ask({ $orderby: `${by} ${direction}`, $top: '1' });
    const condition =
      verdict.kind === 'accepted' && verdict.rows[0] ? keyCondition(key, verdict.rows[0]) : null;
    return condition;
  };
  const ends = rows.length > 1 ? [await firstBy('asc'), await firstBy('desc')] : [null, null];
  const isProven = ends[0] !== null && ends[1] !== null;
  if (isProven && ends[0] === ends[1]) {
    note('The service answers both directions of $orderby with the same first record: it does not sort.');
    return { sortable: [], unsortable: names, notAsked: [] };
  }
  const split = await bisect(names, (some) => ask({ $orderby: some.join(','), $top: '1' }));
  tellRefused('sorted by', split, note);
  return {
    sortable: isProven ? split.accepted : [],
    unsortable: [...split.refused.keys()],
    notAsked: split.notAsked,
  };
}

async function probeExpansions(
  navigations: readonly string[],
  row: JsonObject | undefined,
  ask: Ask,
  note: (text: string) => void,
) {
  const unexpandable: string[] = [];
  const notAsked: string[] = [];
  for (const navigation of navigations) {
    const verdict = await ask({ $expand: navigation, $top: '1' });
    if (verdict.kind === 'notAsked') notAsked.push(navigation);
    else if (verdict.kind === 'refused') {
      unexpandable.push(navigation);
      note(`${navigation} cannot be expanded: ${verdict.reason}`);
    } else if (row && !Object.hasOwn(verdict.rows[0] ?? {}, navigation)) {
      unexpandable.push(navigation);
      note(`${navigation} cannot be expanded: the response does not have it.`);
    }
  }
  return { unexpandable, notAsked };
}

function tellRefused(what: string, { refused }: Split, note: (text: string) => void): void {
  for (const [name, reason] of refused) note(`${name} cannot be ${what}: ${reason}`);
}
