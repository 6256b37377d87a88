import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, readRule } from './audit.ts';
import { anySet, first, nobody } from './shapes.ts';
import type { Reply, Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

const get = (url: string, more: Json = {}): Json => ({ method: 'GET', url, ...more });

function responsesOf(reply: Reply): Json[] {
  hold(reply.status === 200, `${answerOf(reply)} to the batch`);
  hold(Array.isArray(reply.body?.responses), "there is no array 'responses'");
  return reply.body.responses;
}

function holdStatuses(reply: Reply, expected: readonly number[]): void {
  const statuses = responsesOf(reply).map((part) => part.status);
  hold(
    statuses.join() === expected.join(),
    `the statuses are ${statuses.join()} instead of ${expected.join()}`,
  );
}

const good = (upstream: Upstream) => get(upstream.path(anySet(upstream), { $top: 1, $select: 'id' }));
const bad = (upstream: Upstream) => get(upstream.path(anySet(upstream), {}, nobody));

/** Many operations in one request, as OData JSON. */
export const batches: readonly Audit[] = [
  readRule(
    'A.batch.1',
    'Answers of a batch come in the order of the requests, with their ids',
    { isOfEveryRoute: true },
    async (upstream) => {
      const sets = upstream.sets
        .map(({ name }) => name)
        .slice(0, 3)
        .reverse();
      const ids = ['2', 'b', '1'].slice(0, sets.length);
      const urls = sets.map((set) => upstream.path(set, { $top: 1 }));
      const responses = responsesOf(
        await upstream.batch(urls.map((url, index) => get(url, { id: ids[index] }))),
      );
      hold(
        responses.map((part) => part.id).join() === ids.join(),
        `the ids are ${responses.map((one) => one.id)}`,
      );
      for (const [index, set] of sets.entries()) {
        const context: unknown = responses[index].body?.['@odata.context'];
        hold(String(context).includes(`/${set}`), `the answer at ${index} has the context ${context}`);
      }
    },
  ),
  readRule(
    'A.batch.2',
    'A part of a batch has the status and the body of the single request',
    { isOfEveryRoute: true },
    async (upstream) => {
      const set = anySet(upstream);
      const { id } = await first(upstream, set);
      const url = upstream.path(set, { $select: 'id,lastModifiedDateTime' }, id);
      const [part] = responsesOf(await upstream.batch([get(url)]));
      hold(part.status === 200 && part.body?.id === id, `${part.status}, id ${part.body?.id}`);
      const single = await upstream.read(url);
      for (const [name, value] of Object.entries(single))
        hold(part.body[name] === value, `'${name}' is ${part.body[name]} in the batch and ${value} alone`);
    },
  ),
  readRule(
    'A.batch.3',
    'The first part that fails is the last one answered',
    { isOfEveryRoute: true },
    async (upstream) =>
      holdStatuses(await upstream.batch([good(upstream), bad(upstream), good(upstream)]), [200, 404]),
  ),
  readRule(
    'A.batch.4',
    'With odata.continue-on-error all parts are answered',
    { isOfEveryRoute: true },
    async (upstream) => {
      const parts = [good(upstream), bad(upstream), good(upstream)];
      const reply = await upstream.batch(parts, { prefer: 'odata.continue-on-error' });
      holdStatuses(reply, [200, 404, 200]);
    },
  ),
  readRule(
    'A.batch.5',
    'A hundred parts are answered, one more is refused',
    { isOfEveryRoute: true },
    async (upstream) => {
      const many = (count: number) => Array.from({ length: count }, () => good(upstream));
      const { length } = responsesOf(await upstream.batch(many(100)));
      hold(length === 100, `${length} of 100 parts are answered`);
      const refused = await upstream.batch(many(101));
      hold(refused.status === 400, `${answerOf(refused)} to 101 parts`);
    },
  ),
  readRule('A.batch.9', 'The headers of a part are its own', { isOfEveryRoute: true }, async (upstream) => {
    const set = anySet(upstream);
    await first(upstream, set);
    const url = upstream.path(set, { $select: 'id' });
    const [part] = responsesOf(
      await upstream.batch([get(url, { headers: { Prefer: 'odata.maxpagesize=1' } })]),
    );
    const length = part.body?.value?.length;
    hold(length === 1, `a part that prefers one record a page has ${length}`);
  }),
];
