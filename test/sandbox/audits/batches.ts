import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, readRule, writeRule } from './audit.ts';
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

const json = { 'Content-Type': 'application/json' };

const create = (upstream: Upstream, body: Json): Json => ({
  method: 'POST',
  url: upstream.path('customers'),
  headers: json,
  body,
});

/** Creates two customers with one that cannot be between them, and deletes what came of it. */
async function mixed(
  upstream: Upstream,
  headers: Readonly<Record<string, string>>,
  check: (statuses: string, made: number) => void,
): Promise<void> {
  const before = await upstream.count('customers');
  const bodies = [{ displayName: 'Audited first' }, { city: 'Oslo' }, { displayName: 'Audited third' }];
  const reply = await upstream.batch(
    bodies.map((body) => create(upstream, body)),
    headers,
  );
  hold(Array.isArray(reply.body?.responses), `${answerOf(reply)} to the batch`);
  const responses: Json[] = reply.body.responses;
  const made = (await upstream.count('customers')) - before;
  for (const { status, body } of responses) {
    if (status !== 201) continue;
    const path = upstream.path('customers', {}, body.id);
    await upstream.send('DELETE', path, { headers: { 'if-match': '*' } });
  }
  check(responses.map(({ status }) => status).join(), made);
}

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
];

/** Writes within a batch. */
export const batchWrites: readonly Audit[] = [
  writeRule(
    'A.batch.19',
    'With odata.continue-on-error a batch of creates goes on after the one that is refused',
    (upstream) =>
      mixed(upstream, { prefer: 'odata.continue-on-error' }, (statuses, made) =>
        hold(statuses === '201,400,201' && made === 2, `${statuses}, and ${made} created`),
      ),
  ),
  writeRule('A.batch.15', 'With Isolation: snapshot one failure takes back everything', (upstream) =>
    mixed(upstream, { isolation: 'snapshot' }, (statuses, made) =>
      hold(statuses.includes('400') && made === 0, `${statuses}, and ${made} created`),
    ),
  ),
  writeRule('A.batch.22', 'A stale part of a batch is refused as the single request is', async (upstream) => {
    const { id } = await first(upstream, 'customers');
    const url = upstream.path('customers', {}, id);
    const { phoneNumber, '@odata.etag': etag } = await upstream.read(url);
    const change = (value: string, tag: string): Json => ({
      method: 'PATCH',
      url,
      headers: { ...json, 'If-Match': tag },
      body: { phoneNumber: value },
    });
    const reply = await upstream.batch([change('+1 555 0100', etag), change('+1 555 0199', etag)]);
    const [moved, stale] = reply.body?.responses ?? [];
    const read = await upstream.read(url);
    await upstream.send('PATCH', url, { body: { phoneNumber }, headers: { 'if-match': '*' } });
    hold(moved?.status === 200, `${moved?.status} to the part that is in time`);
    const expected = upstream.dialect === 'document' ? [409, 412] : [409];
    hold(expected.includes(stale?.status), `${stale?.status} to the stale part`);
    hold(read.phoneNumber === '+1 555 0100', `'phoneNumber' is ${read.phoneNumber}`);
  }),
];
