import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, skip } from './audit.ts';
import { documentedSets } from './documented.ts';
import type { Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

const both = ['document', 'dynamics'] as const;

/** More records than this are not walked through. */
const walkable = 5_000;
const links = 12;

/** The set with the fewest records of those worth paging. */
async function setToPage(upstream: Upstream): Promise<{ set: string; count: number }> {
  const counted: { set: string; count: number }[] = [];
  for (const set of Object.keys(documentedSets)) counted.push({ set, count: await upstream.count(set) });
  const [smallest] = counted
    .filter(({ count }) => count >= 5 && count <= walkable)
    .sort((left, right) => left.count - right.count);
  return smallest ?? skip(`no set has between 5 and ${walkable} records`);
}

/** Continuation and the longest address. */
export const pages: readonly Audit[] = [
  {
    id: 'A.page.1',
    title: 'Continuation links lead through all records once, none missing and none twice',
    dialects: both,
    async run(upstream) {
      const { set, count } = await setToPage(upstream);
      const size = Math.ceil(count / 4);
      const headers = { prefer: `odata.maxpagesize=${size}` };
      const ids: string[] = [];
      let next: string | undefined = upstream.path(set, { $select: 'id' });
      for (let page = 0; next !== undefined; page += 1) {
        hold(page < links, `the links do not end after ${links} pages of ${size} out of ${count} records`);
        const body: Json = await upstream.read(next, { headers });
        hold(body.value.length <= size, `a page has ${body.value.length} records, ${size} were asked for`);
        ids.push(...body.value.map((row: Json) => row.id));
        next = body['@odata.nextLink'];
      }
      const all = (await upstream.list(set, { $select: 'id' })).map((row) => row.id);
      hold(new Set(ids).size === ids.length, `${ids.length - new Set(ids).size} records come twice`);
      const missing = all.filter((id) => !ids.includes(id));
      hold(missing.length === 0, `${missing.length} records do not come at all`);
    },
  },
  {
    id: 'A.page.4',
    title: 'An answer to $top has that many records and no continuation link',
    dialects: both,
    async run(upstream) {
      const { set } = await setToPage(upstream);
      const body = await upstream.read(upstream.path(set, { $top: 3, $select: 'id' }));
      hold(body.value.length === 3, `there are ${body.value.length} records instead of 3`);
      hold(body['@odata.nextLink'] === undefined, 'there is a continuation link');
    },
  },
  {
    id: 'A.limit.1',
    title: 'A query string longer than 8,099 characters is 414, one as long is answered',
    dialects: both,
    async run(upstream) {
      const beginning = '$top=1&$select=id&note=';
      const path = (length: number) =>
        `${upstream.path('customers')}?${beginning}${'x'.repeat(length - beginning.length)}`;
      const longest = await upstream.send('GET', path(8_099));
      hold(longest.status === 200, `${answerOf(longest)} for 8,099 characters`);
      const longer = await upstream.send('GET', path(8_100));
      hold(longer.status === 414, `${answerOf(longer)} for 8,100 characters`);
    },
  },
];
