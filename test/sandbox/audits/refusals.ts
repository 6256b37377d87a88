import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, writeRule } from './audit.ts';
import { first, nobody } from './shapes.ts';
import type { Reply, Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

const both = ['document', 'dynamics'] as const;

const sets = ['customers', 'items', 'employees'] as const;

/** What no customer can be given, by the permanent id of the rule. */
const mistakes: readonly (readonly [string, string, Json])[] = [
  ['A.value.7', 'Text longer than its field is refused', { city: 'x'.repeat(31) }],
  ['A.value.8', 'A word that is no option is refused', { blocked: 'Sometimes' }],
  ['A.value.10', 'An email address that is none is refused', { email: 'nobody' }],
  ['A.value.1', 'A value of another type is refused', { displayName: 5 }],
  ['A.update.10', 'A property that does not exist is refused', { colourOfTheDoor: 'red' }],
  ['A.recalc.4', 'A reference to nothing is refused', { paymentTermsId: nobody }],
  ['A.create.37', 'A country that does not exist is refused', { country: 'XQ' }],
];

function isRefusal({ status }: Reply): boolean {
  return status >= 400 && status < 500;
}

/** Holds when a record is as it was, with its entity tag; else puts back what can be. */
async function holdUnchanged(upstream: Upstream, path: string, before: Json, body: Json): Promise<void> {
  const read = await upstream.read(path);
  const names = Object.keys(body).filter((name) => name in before);
  const old = Object.fromEntries(names.map((name) => [name, before[name]]));
  const changed = names.find((name) => read[name] !== before[name]);
  if (changed !== undefined) {
    await upstream.send('PATCH', path, { body: old, headers: { 'if-match': '*' } });
  }
  hold(changed === undefined, `'${changed}' has changed to ${JSON.stringify(read[changed ?? ''])}`);
}

function refusedChange([id, title, body]: readonly [string, string, Json]): Audit {
  return {
    id,
    title: `${title}, and nothing is changed`,
    dialects: both,
    isWrite: true,
    async run(upstream) {
      const path = upstream.path('customers', {}, (await first(upstream, 'customers')).id);
      const before = await upstream.read(path);
      const reply = await upstream.send('PATCH', path, { body, headers: { 'if-match': '*' } });
      await holdUnchanged(upstream, path, before, body);
      hold(isRefusal(reply), `${answerOf(reply)} to ${JSON.stringify(body)}`);
    },
  };
}

/** Changes and creations that are refused. */
export const refusals: readonly Audit[] = [
  ...mistakes.map(refusedChange),
  writeRule('A.update.6', 'A malformed entity tag is 400 and changes nothing', async (upstream) => {
    for (const set of sets) {
      const path = upstream.path(set, {}, (await first(upstream, set)).id);
      const before = await upstream.read(path);
      const reply = await upstream.send('PATCH', path, { body: {}, headers: { 'if-match': 'W/abc' } });
      hold(reply.status === 400, `${answerOf(reply)} for ${set}`);
      const { '@odata.etag': tag } = await upstream.read(path);
      hold(tag === before['@odata.etag'], `the entity tag of the record of ${set} has moved`);
    }
  }),
  writeRule('A.update.11', 'PATCH of an unknown id is 404 and creates nothing', async (upstream) => {
    for (const set of sets) {
      const path = upstream.path(set, {}, nobody);
      const reply = await upstream.send('PATCH', path, { body: {}, headers: { 'if-match': '*' } });
      hold(reply.status === 404, `${answerOf(reply)} for ${set}`);
      const read = await upstream.send('GET', path);
      hold(read.status === 404, `${answerOf(read)} to the GET in ${set}`);
    }
  }),
  writeRule('A.duplicate.1', 'A number that is taken is refused and nothing is created', async (upstream) => {
    for (const set of sets) {
      const { number } = needed((await upstream.sample(set))[0], `record in ${set}`);
      const before = await upstream.count(set);
      const body = { number, ...(set === 'customers' ? { displayName: 'Audited twin' } : {}) };
      const reply = await upstream.send('POST', upstream.path(set), { body });
      if (reply.status === 201) {
        const path = upstream.path(set, {}, reply.body.id);
        await upstream.send('DELETE', path, { headers: { 'if-match': '*' } });
      }
      hold([400, 409].includes(reply.status), `${answerOf(reply)} to the second ${number} in ${set}`);
      const after = await upstream.count(set);
      hold(after === before, `there were ${before} records in ${set} and are now ${after}`);
    }
  }),
];
