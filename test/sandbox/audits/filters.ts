import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, readRule, skip } from './audit.ts';
import type { Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

/** A text as a filter writes it. */
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const idsOf = (rows: readonly Json[]) => rows.map((row) => row.id).sort();

/** Holds when a filter finds exactly these records, in whatever order. */
async function holdFound(upstream: Upstream, set: string, filter: string, ids: readonly string[]) {
  const found = idsOf(await upstream.list(set, { $filter: filter, $select: 'id', $top: ids.length + 50 }));
  const missing = ids.filter((id) => !found.includes(id));
  hold(missing.length === 0, `${missing.length} of ${ids.length} records are not found, first ${missing[0]}`);
  hold(found.length === ids.length, `${found.length} records are found instead of ${ids.length}`);
}

/** A field of a type, and how a filter writes its values. */
interface Type {
  readonly id: string;
  readonly name: string;
  readonly set: string;
  readonly field: string;
  readonly hasOrder?: true;
  readonly write?: (value: Json) => string;
  readonly rank?: (value: Json) => number | string;
}

const types: readonly Type[] = [
  { id: '3', name: 'text', set: 'customers', field: 'number', write: quoted },
  { id: '6', name: 'numbers', set: 'items', field: 'unitPrice', hasOrder: true },
  { id: '7', name: 'dates', set: 'salesOrders', field: 'orderDate', hasOrder: true },
  {
    id: '8',
    name: 'date-times',
    set: 'customers',
    field: 'lastModifiedDateTime',
    hasOrder: true,
    rank: Date.parse,
  },
  { id: '9', name: 'options', set: 'items', field: 'type', write: quoted },
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
async function compare(
  upstream: Upstream,
  { set, field, hasOrder, write = String, rank = (value) => value }: Type,
): Promise<void> {
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

/** `$filter` as the document and the real service have it. */
export const filters: readonly Audit[] = [
  readRule('A.filter.2', 'Keys joined by "or" find exactly those records', async (upstream) => {
    for (const set of ['customers', 'items']) {
      const ids = idsOf((await upstream.sample(set)).filter((_, index) => index % 2 === 0));
      if (ids.length < 2) skip(`there are not enough records in ${set}`);
      await holdFound(upstream, set, ids.map((id) => `id eq ${id}`).join(' or '), ids);
    }
  }),
  readRule(
    'A.filter.3',
    '"or" over different fields is allowed',
    { dialects: ['document'] },
    async (upstream) => {
      const [one, other] = await upstream.sample('items');
      needed(other, 'second record in items');
      const filter = `id eq ${one.id} or number eq ${quoted(other.number)}`;
      await holdFound(upstream, 'items', filter, idsOf([one, other]));
    },
  ),
  readRule('A.filter.6', 'A quote in a name is doubled', async (upstream) => {
    const options = { $filter: "contains(displayName,'''')", $select: 'id,displayName', $top: 1 };
    const [row] = await upstream.list('customers', options);
    const { displayName, id } = needed(row, 'customer with a quote in the name');
    hold(displayName.includes("'"), `a filter for a quote found '${displayName}'`);
    await holdFound(upstream, 'customers', `displayName eq ${quoted(displayName)} and id eq ${id}`, [id]);
  }),
  readRule(
    'A.operator.1',
    'contains, startswith and endswith find what they name and nothing else',
    async (upstream) => {
      const rows = await upstream.sample('customers');
      const plain = rows.find((row) => /^[A-Za-z]{3}.*[A-Za-z]{3}$/.test(row.displayName));
      const { id, displayName } = needed(plain, 'customer with a name of letters');
      const pieces = [
        ['contains', displayName.slice(1, 4)],
        ['startswith', displayName.slice(0, 3)],
        ['endswith', displayName.slice(-3)],
      ];
      for (const [name, piece] of pieces) {
        await holdFound(upstream, 'customers', `${name}(displayName,${quoted(piece)}) and id eq ${id}`, [id]);
        await holdFound(upstream, 'customers', `${name}(displayName,'zqxzqx') and id eq ${id}`, []);
      }
    },
  ),
  ...types.map((type) =>
    readRule(
      `A.operator.${type.id}`,
      `Comparisons of ${type.name} find exactly the records for which they hold`,
      (upstream) => compare(upstream, type),
    ),
  ),
  readRule(
    'A.or.1',
    '"or" over different fields is 501 BadRequest_MethodNotImplemented',
    { dialects: ['dynamics'] },
    async (upstream) => {
      const path = upstream.path('customers', { $filter: "number eq 'A' or displayName eq 'B'" });
      const answer = answerOf(await upstream.send('GET', path));
      hold(answer === '501 BadRequest_MethodNotImplemented', answer);
    },
  ),
  readRule(
    'A.computed.1',
    'A field that is calculated for each record cannot be filtered by',
    { dialects: ['dynamics'] },
    async (upstream) => {
      const reply = await upstream.send(
        'GET',
        upstream.path('items', { $filter: 'inventory gt 0', $top: 1 }),
      );
      hold(reply.status === 400, answerOf(reply));
    },
  ),
];
