import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, readRule, skip } from './audit.ts';
import type { Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

/** A text as a filter writes it. */
export const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

const idsOf = (rows: readonly Json[]) => rows.map((row) => row.id).sort();

/** Holds when a filter finds exactly these records, in whatever order. */
async function holdFound(upstream: Upstream, set: string, filter: string, ids: readonly string[]) {
  const found = idsOf(await upstream.list(set, { $filter: filter, $select: 'id', $top: ids.length + 50 }));
  const missing = ids.filter((id) => !found.includes(id));
  hold(missing.length === 0, `${missing.length} of ${ids.length} records are not found, first ${missing[0]}`);
  hold(found.length === ids.length, `${found.length} records are found instead of ${ids.length}`);
}

/** `$filter` as the document and the real service have it. */
export const filters: readonly Audit[] = [
  readRule('A.filter.1', 'Only records changed after a time are returned', async (upstream) => {
    const options = { $orderby: 'lastModifiedDateTime desc', $select: 'id,lastModifiedDateTime', $top: 50 };
    const rows = await upstream.list('customers', options);
    const timeOf = (row: Json) => Date.parse(row.lastModifiedDateTime);
    const middle = needed(rows[Math.floor(rows.length / 2)], 'record in customers');
    const later = rows.filter((row) => timeOf(row) > timeOf(middle));
    if (later.length === 0 || later.length === rows.length) skip('the newest customers changed at one time');
    const filter = `lastModifiedDateTime gt ${middle.lastModifiedDateTime}`;
    await holdFound(upstream, 'customers', filter, idsOf(later));
  }),
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
  readRule('A.filter.4', 'An unknown field in a filter is 400', async (upstream) => {
    const path = upstream.path('customers', { $filter: "noSuchField eq 'x'", $top: 1 });
    const reply = await upstream.send('GET', path);
    hold(reply.status === 400, answerOf(reply));
  }),
  readRule('A.filter.5', 'A syntax error in a filter is 400', async (upstream) => {
    for (const filter of ["number eq 'x", 'number eq', '(id eq null', 'number is 5']) {
      const reply = await upstream.send('GET', upstream.path('customers', { $filter: filter, $top: 1 }));
      hold(reply.status === 400, `${answerOf(reply)} for ${filter}`);
    }
  }),
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
  readRule('A.operator.2', '"and" finds what passes both sides', async (upstream) => {
    const [one, other] = await upstream.sample('customers');
    needed(other, 'second record in customers');
    await holdFound(upstream, 'customers', `id eq ${one.id} and number eq ${quoted(one.number)}`, [one.id]);
    await holdFound(upstream, 'customers', `id eq ${one.id} and number eq ${quoted(other.number)}`, []);
  }),
];
