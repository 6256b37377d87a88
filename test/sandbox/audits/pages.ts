import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, readRule, skip } from './audit.ts';
import { anySet } from './shapes.ts';
import type { Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

/** More records than this are not walked through. */
const walkable = 5_000;
const links = 12;

/** The set with the fewest records of those worth paging. */
async function setToPage(upstream: Upstream): Promise<{ set: string; $select: string; count: number }> {
  const counted: { set: string; $select: string; count: number }[] = [];
  for (const { name: set, key } of upstream.sets)
    counted.push({ set, $select: key.join(), count: await upstream.count(set) });
  const [smallest] = counted
    .filter(({ count }) => count >= 5 && count <= walkable)
    .sort((left, right) => left.count - right.count);
  return smallest ?? skip(`no set has between 5 and ${walkable} records`);
}

/** Continuation and the longest address. */
export const pages: readonly Audit[] = [
  readRule(
    'A.page.1',
    'Continuation links lead through all records once, none missing and none twice',
    { isOfEveryRoute: true },
    async (upstream) => {
      const { set, $select, count } = await setToPage(upstream);
      const keyOf = (row: Json) =>
        $select
          .split(',')
          .map((column) => row[column])
          .join();
      const size = Math.ceil(count / 4);
      const headers = { prefer: `odata.maxpagesize=${size}` };
      const keys: string[] = [];
      let next: string | undefined = upstream.path(set, { $select });
      for (let page = 0; next !== undefined; page += 1) {
        hold(page < links, `the links do not end after ${links} pages of ${size} out of ${count} records`);
        const body: Json = await upstream.read(next, { headers });
        hold(body.value.length <= size, `a page has ${body.value.length} records, ${size} were asked for`);
        keys.push(...body.value.map(keyOf));
        next = body['@odata.nextLink'];
      }
      const all = (await upstream.list(set, { $select })).map(keyOf);
      hold(new Set(keys).size === keys.length, `${keys.length - new Set(keys).size} records come twice`);
      const missing = all.filter((key) => !keys.includes(key));
      hold(missing.length === 0, `${missing.length} records do not come at all`);
    },
  ),
  readRule(
    'A.page.4',
    'An answer to $top has that many records and no continuation link',
    { isOfEveryRoute: true },
    async (upstream) => {
      const { set, $select } = await setToPage(upstream);
      const body = await upstream.read(upstream.path(set, { $top: 3, $select }));
      hold(body.value.length === 3, `there are ${body.value.length} records instead of 3`);
      hold(body['@odata.nextLink'] === undefined, 'there is a continuation link');
    },
  ),
  readRule(
    'A.limit.1',
    'A query string longer than 8,099 characters is 414, one as long is answered',
    { isOfEveryRoute: true },
    async (upstream) => {
      const beginning = '$top=1&$select=id&note=';
      const path = (length: number) =>
        `${upstream.path(anySet(upstream))}?${beginning}${'x'.repeat(length - beginning.length)}`;
      const longest = await upstream.send('GET', path(8_099));
      hold(longest.status === 200, `${answerOf(longest)} for 8,099 characters`);
      const longer = await upstream.send('GET', path(8_100));
      hold(longer.status === 414, `${answerOf(longer)} for 8,100 characters`);
    },
  ),
];
