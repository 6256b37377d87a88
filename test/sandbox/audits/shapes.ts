import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, readRule, skip } from './audit.ts';
import type { Kind } from './documented.ts';
import { documentedSets, itemV1Fields, lineFields, mistakeIn, namesOf } from './documented.ts';
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
  readRule('A.address.1', 'An unknown record set is 404', { isOfEveryRoute: true }, async (upstream) => {
    const reply = await upstream.send('GET', upstream.path('noSuchRecords'));
    hold(reply.status === 404, answerOf(reply));
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
    'A v1.0 item nests its unit and category and lacks their v2.0 fields',
    async (upstream) => {
      const item = await first(upstream, 'items');
      const { dialect } = upstream;
      const reply = await upstream.send('GET', upstream.path('items', {}, item.id), { route: 'v1.0' });
      // The real service dropped v1.0 with its release 28.
      if (dialect === 'dynamics' && reply.status === 404) skip('there is no v1.0');
      hold(reply.status === 200, answerOf(reply));
      const { baseUnitOfMeasure: unit, itemCategory: category } = reply.body;
      const mistake =
        mistakeIn(reply.body, itemV1Fields) ?? mistakeIn(unit ?? {}, { text: 'unitCode unitName symbol' });
      hold(mistake === undefined, String(mistake));
      hold('unitConversion' in unit, "the unit has no 'unitConversion'");
      hold(reply.body.number === item.number, 'it is another item than under v2.0');
      if (dialect === 'dynamics') return;
      const wrong = mistakeIn(category ?? {}, { text: 'categoryId description' });
      hold(wrong === undefined, `the category: ${wrong}`);
      const extra = ['itemCategoryId', 'itemCategoryCode', 'baseUnitOfMeasureCode'].find(
        (name) => name in reply.body,
      );
      hold(extra === undefined, `it has '${extra}'`);
    },
  ),
  readRule(
    'A.fields.5',
    'Companies can be listed and read by id',
    { isOfEveryRoute: true },
    async (upstream) => {
      const { value } = await upstream.read('companies');
      hold(Array.isArray(value) && value.length > 0, 'no company is listed');
      const one = await upstream.read(`companies(${value[0].id})`);
      const mistake = mistakeIn(one, { guid: 'id', text: 'name' });
      hold(mistake === undefined, `a company: ${mistake}`);
      hold(one.id === value[0].id && one.name === value[0].name, 'the company read is not the one listed');
    },
  ),
  readRule(
    'A.fields.6',
    'A collection has a context and a value, a record a context and a tag, and is the one of the list',
    (upstream) =>
      forEachSet(upstream, async (set, [row]) => {
        const list = await upstream.read(upstream.path(set, { $top: 1 }));
        hold(typeof list['@odata.context'] === 'string', `the list of ${set} has no '@odata.context'`);
        const one = await upstream.read(upstream.path(set, {}, row.id));
        for (const name of ['@odata.context', '@odata.etag'])
          hold(typeof one[name] === 'string', `the record of ${set} has no '${name}'`);
        for (const name of namesOf(documentedSets[set] ?? {}))
          hold(one[name] === row[name], `'${name}' of ${set} differs between the list and the record`);
      }),
  ),
  readRule(
    'A.values.2',
    'What is unset is the all-zero GUID, 0001-01-01 or, for blocked, the blank of the dialect',
    async (upstream) => {
      const customers = await upstream.sample('customers');
      const filter = `currencyId eq ${unsetGuid}`;
      for (const row of await upstream.list('customers', { $top: 20, $filter: filter }))
        hold(row.currencyId === unsetGuid, `a filter for the unset currency found ${row.currencyId}`);
      const isSet = (row: Json, kind: Kind) =>
        namesOf(documentedSets.customers ?? {}, kind).every((name) => row[name] !== unsetGuid);
      const blank = upstream.dialect === 'document' ? ' ' : '_x0020_';
      const open = customers.filter((row) => !['Ship', 'Invoice', 'All'].includes(row.blocked));
      hold(
        open.every((row) => row.blocked === blank),
        `'blocked' is ${JSON.stringify(open.find((row) => row.blocked !== blank)?.blocked)}`,
      );
      if (open.length === 0 || customers.every((row) => isSet(row, 'guid')))
        skip('no customer has anything unset');
    },
  ),
  readRule(
    'A.values.3',
    'An entity tag is in the body, stable across reads and different for every record',
    (upstream) =>
      forEachSet(upstream, async (set, rows) => {
        const tags = rows.map((row) => row['@odata.etag']);
        hold(
          tags.every((tag) => /^(W\/)?".+"$/.test(tag)),
          `a record of ${set} has the tag ${JSON.stringify(tags.find((tag) => !/^(W\/)?".+"$/.test(tag)))}`,
        );
        hold(new Set(tags).size === tags.length, `two records of ${set} have the same tag`);
        const again = await upstream.list(set, { $top: 100 });
        const moved = again.find(
          (row, index) => row.id === rows[index].id && row['@odata.etag'] !== tags[index],
        );
        hold(moved === undefined, `the tag of ${set}(${moved?.id}) moved between two reads`);
      }),
  ),
];
