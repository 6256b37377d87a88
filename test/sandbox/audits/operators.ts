import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed } from './audit.ts';
import { quoted } from './filters.ts';
import type { Upstream } from './upstream.ts';

/** How values of a field compare and how a filter writes them. */
interface Type {
  readonly id: string;
  readonly name: string;
  readonly set: string;
  readonly field: string;
  readonly hasOrder: boolean;
  write(value: Json): string;
  rank(value: Json): number | string;
}

const plain = (value: Json) => String(value);
const itself = (value: Json) => value;

const types: readonly Type[] = [
  { id: '3', name: 'text', set: 'customers', field: 'number', hasOrder: false, write: quoted, rank: itself },
  { id: '4', name: 'GUIDs', set: 'customers', field: 'id', hasOrder: false, write: plain, rank: itself },
  { id: '5', name: 'booleans', set: 'items', field: 'blocked', hasOrder: false, write: plain, rank: String },
  { id: '6', name: 'numbers', set: 'items', field: 'unitPrice', hasOrder: true, write: plain, rank: itself },
  {
    id: '7',
    name: 'dates',
    set: 'salesOrders',
    field: 'orderDate',
    hasOrder: true,
    write: plain,
    rank: itself,
  },
  {
    id: '8',
    name: 'date-times',
    set: 'customers',
    field: 'lastModifiedDateTime',
    hasOrder: true,
    write: plain,
    rank: Date.parse,
  },
  { id: '9', name: 'options', set: 'items', field: 'type', hasOrder: false, write: quoted, rank: itself },
];

type Order = (left: number | string, right: number | string) => boolean;

/** Each operator with the one that finds exactly the other records. */
const opposites: readonly [string, Order, string, Order][] = [
  ['eq', (left, right) => left === right, 'ne', (left, right) => left !== right],
  ['gt', (left, right) => left > right, 'le', (left, right) => left <= right],
  ['ge', (left, right) => left >= right, 'lt', (left, right) => left < right],
];

/**
 * Compares with a value from the middle of a sample. An operator and its opposite find all records
 * together, and neither finds one it should not: so each finds exactly its own.
 */
async function compare(upstream: Upstream, { set, field, hasOrder, write, rank }: Type): Promise<void> {
  const ranked = [...(await upstream.sample(set))].sort((a, b) => (rank(a[field]) < rank(b[field]) ? -1 : 1));
  const pivot = needed(ranked[Math.floor(ranked.length / 2)], `record in ${set}`)[field];
  const total = await upstream.count(set);

  async function found(word: string, holds: Order): Promise<number> {
    const filter = `${field} ${word} ${write(pivot)}`;
    const rows = await upstream.list(set, { $filter: filter, $select: `id,${field}`, $top: 50 });
    const wrong = rows.find((row) => !holds(rank(row[field]), rank(pivot)));
    hold(wrong === undefined, `'${filter}' found ${JSON.stringify(wrong?.[field])}`);
    return upstream.count(set, filter);
  }

  for (const [word, holds, opposite, holdsNot] of hasOrder ? opposites : opposites.slice(0, 1)) {
    const counts = [await found(word, holds), await found(opposite, holdsNot)] as const;
    hold(
      counts[0] + counts[1] === total,
      `'${field} ${word} ${write(pivot)}' finds ${counts[0]} and '${opposite}' ${counts[1]} of ${total} records`,
    );
  }
}

/** The comparisons of `$filter` for every type of value. */
export const operators: readonly Audit[] = types.map((type) => ({
  id: `A.operator.${type.id}`,
  title: `Comparisons of ${type.name} find exactly the records for which they hold`,
  dialects: ['document', 'dynamics'],
  run: (upstream) => compare(upstream, type),
}));
