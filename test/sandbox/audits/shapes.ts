import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, readRule, skip } from './audit.ts';
import { documentedSets, itemV1Fields, lineFields, mistakeIn } from './documented.ts';
import type { Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

export const nobody = '11111111-1111-4111-8111-111111111111';
const unsetGuid = '00000000-0000-0000-0000-000000000000';

/** The first record of a set, whole. */
export async function first(upstream: Upstream, set: string): Promise<Json> {
  return needed((await upstream.sample(set))[0], `record in ${set}`);
}

/** The first set whose records have a GUID in `id`: `customers` in v2.0. */
export const anySet = ({ sets }: Upstream): string =>
  needed(
    sets.find(({ key }) => key.join() === 'id'),
    'set with a GUID as its key',
  ).name;

/** Runs for the documented sets that have records; skips when none has. */
async function forEachSet(
  upstream: Upstream,
  check: (set: string, rows: readonly Json[]) => Promise<void> | void,
): Promise<void> {
  let checked = 0;
  for (const set of Object.keys(documentedSets)) {
    const rows = await upstream.sample(set);
    if (rows.length === 0) continue;
    await check(set, rows);
    checked += 1;
  }
  if (checked === 0) skip('all sets are empty');
}

/** Who may call, what addresses lead to, and what records look like. */
export const shapes: readonly Audit[] = [
  readRule('A.auth.1', 'A call without a bearer token is 401', { isOfEveryRoute: true }, async (upstream) => {
    for (const authorization of ['', 'Basic Y2xlcms6eA==']) {
      const reply = await upstream.send('GET', 'companies', { headers: { authorization } });
      hold(reply.status === 401, `${answerOf(reply)} with the header Authorization '${authorization}'`);
    }
  }),
  readRule('A.address.2', 'An unknown record is 404', { isOfEveryRoute: true }, async (upstream) => {
    for (const { name, key } of upstream.sets) {
      if (key.join() !== 'id') continue;
      const reply = await upstream.send('GET', upstream.path(name, {}, nobody));
      hold(reply.status === 404, `${answerOf(reply)} for ${name}`);
    }
  }),
  readRule(
    'A.fields.1',
    'Customers, items, orders and employees have every field of the document, with its type',
    (upstream) =>
      forEachSet(upstream, (set, rows) => {
        for (const row of rows) {
          const mistake = mistakeIn(row, documentedSets[set] ?? {});
          hold(mistake === undefined, `${set}(${row.id}): ${mistake}`);
        }
      }),
  ),
  readRule(
    'A.fields.2',
    'The lines of an order have every field of the document, with its type',
    async (upstream) => {
      const isDocument = upstream.dialect === 'document';
      const name = isDocument ? 'documentLines' : 'salesOrderLines';
      const orders = isDocument
        ? await upstream.sample('salesOrders')
        : await upstream.list('salesOrders', { $top: 20, $expand: name });
      for (const order of orders)
        hold(Array.isArray(order[name]), `order ${order.id} has no array '${name}'`);
      const lines = orders.flatMap((order) => order[name] as Json[]);
      needed(lines[0], 'order with lines');
      for (const line of lines) {
        const mistake = mistakeIn(line, lineFields[upstream.dialect]);
        hold(mistake === undefined, `a line: ${mistake}`);
      }
    },
  ),
  readRule(
    'A.fields.3',
    'A v1.0 item has every field of the document, and nests its unit',
    async (upstream) => {
      const item = await first(upstream, 'items');
      const { dialect } = upstream;
      const reply = await upstream.send('GET', upstream.path('items', {}, item.id), { route: 'v1.0' });
      // The real service dropped v1.0 with its release 28.
      if (dialect === 'dynamics' && reply.status === 404) skip('there is no v1.0');
      hold(reply.status === 200, answerOf(reply));
      const unit = reply.body.baseUnitOfMeasure ?? {};
      const mistake =
        mistakeIn(reply.body, itemV1Fields) ?? mistakeIn(unit, { text: 'unitCode unitName symbol' });
      hold(mistake === undefined, String(mistake));
      hold('unitConversion' in unit, "the unit has no 'unitConversion'");
      hold(reply.body.number === item.number, 'it is another item than under v2.0');
    },
  ),
  readRule(
    'A.values.2',
    'What is unset is the all-zero GUID or, for blocked, the blank of the dialect',
    async (upstream) => {
      const filter = `currencyId eq ${unsetGuid}`;
      const rows = await upstream.list('customers', { $top: 20, $filter: filter });
      needed(rows[0], 'customer without a currency');
      const wrong = rows.find((row) => row.currencyId !== unsetGuid);
      hold(wrong === undefined, `a filter for the unset currency found ${wrong?.currencyId}`);
      const blank = upstream.dialect === 'document' ? ' ' : '_x0020_';
      const words = (await upstream.sample('customers')).map((row) => row.blocked);
      const other = words.find((word) => ![blank, 'Ship', 'Invoice', 'All'].includes(word));
      hold(other === undefined, `'blocked' is ${JSON.stringify(other)}`);
    },
  ),
  readRule('A.values.3', 'An entity tag is in the body, and different for every record', (upstream) =>
    forEachSet(upstream, async (set, rows) => {
      const tags = rows.map((row) => row['@odata.etag']);
      hold(
        tags.every((tag) => /^(W\/)?".+"$/.test(tag)),
        `a record of ${set} has the tag ${JSON.stringify(tags.find((tag) => !/^(W\/)?".+"$/.test(tag)))}`,
      );
      hold(new Set(tags).size === tags.length, `two records of ${set} have the same tag`);
    }),
  ),
  readRule(
    'A.option.1',
    'Words of options come as names: _x0020_ is a blank, _x002D_ a hyphen',
    { dialects: ['dynamics'] },
    async (upstream) => {
      const fields = [
        ['customers', 'type'],
        ['customers', 'blocked'],
        ['items', 'type'],
        ['salesOrders', 'status'],
        ['employees', 'status'],
      ] as const;
      const all: string[] = [];
      for (const [set, name] of fields) all.push(...(await upstream.sample(set)).map((row) => row[name]));
      needed(all[0], 'record in any set');
      const wrong = all.find((word) => !/^\w+$/.test(word));
      hold(wrong === undefined, `a word is ${JSON.stringify(wrong)}`);
    },
  ),
];
