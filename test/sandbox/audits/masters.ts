import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, writeRule } from './audit.ts';
import { documentedSets, mistakeIn } from './documented.ts';
import type { Reply, Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

/** The least that a new record of each set needs. */
const bodies: Readonly<Record<string, Json>> = {
  customers: { displayName: 'Audited customer' },
  items: { displayName: 'Audited item' },
  employees: { givenName: 'Audited', surname: 'Employee' },
};

interface Made {
  readonly set: string;
  readonly path: string;
  readonly record: Json;
}

function remove(upstream: Upstream, path: string, etag = '*'): Promise<Reply> {
  return upstream.send('DELETE', path, { headers: { 'if-match': etag } });
}

/** Creates a record of a set, runs a check on it, and tries to delete it whatever the check finds. */
async function onMade(upstream: Upstream, set: string, check: (made: Made) => Promise<void>): Promise<void> {
  const reply = await upstream.send('POST', upstream.path(set), { body: bodies[set] });
  hold(reply.status === 201, `${answerOf(reply)} to the creation in ${set}`);
  const path = upstream.path(set, {}, reply.body.id);
  try {
    await check({ set, path, record: reply.body });
  } finally {
    await remove(upstream, path);
  }
}

async function onEach(upstream: Upstream, check: (made: Made) => Promise<void>): Promise<void> {
  for (const set of Object.keys(bodies)) await onMade(upstream, set, check);
}

/** Creation and deletion of customers, items and employees. */
export const masters: readonly Audit[] = [
  writeRule(
    'A.create.18',
    'A new customer, item or employee is answered whole, and can be read where the answer says',
    (upstream) =>
      onEach(upstream, async ({ set, path, record }) => {
        const mistake = mistakeIn(record, documentedSets[set] ?? {});
        hold(mistake === undefined, `${set}: ${mistake}`);
        hold(record.number !== '', `the new record of ${set} has no number`);
        const read = await upstream.read(path);
        for (const name of ['number', 'displayName', '@odata.etag'])
          hold(read[name] === record[name], `'${name}' of ${set} is ${read[name]}, told was ${record[name]}`);
      }),
  ),
  writeRule('A.create.23', 'A customer without a name is refused', async (upstream) => {
    const reply = await upstream.send('POST', upstream.path('customers'), { body: { city: 'Oslo' } });
    if (reply.status === 201) await remove(upstream, upstream.path('customers', {}, reply.body.id));
    hold(reply.status === 400, answerOf(reply));
  }),
  writeRule(
    'A.chosen.1',
    'The id that is chosen for a new customer, item or employee is that of the record',
    async (upstream) => {
      for (const set of Object.keys(bodies)) {
        const id = randomUUID();
        const body = { ...bodies[set], id: id.toUpperCase() };
        const reply = await upstream.send('POST', upstream.path(set), { body });
        hold(reply.status === 201, `${answerOf(reply)} to the creation in ${set}`);
        await remove(upstream, upstream.path(set, {}, reply.body.id));
        hold(reply.body.id === id, `the id of the new record of ${set} is ${reply.body.id}`);
      }
    },
  ),
  writeRule('A.duplicate.2', 'A second record with an id that is taken is refused', (upstream) =>
    onEach(upstream, async ({ set, record }) => {
      const body = { ...bodies[set], id: record.id };
      const reply = await upstream.send('POST', upstream.path(set), { body });
      const isAnother = reply.status === 201 && reply.body.id !== record.id;
      if (isAnother) await remove(upstream, upstream.path(set, {}, reply.body.id));
      hold([400, 409].includes(reply.status), `${answerOf(reply)} to the second creation in ${set}`);
      hold(reply.body?.error?.code === 'Internal_EntityWithSameKeyExists', answerOf(reply));
    }),
  ),
  writeRule('A.delete.1', 'A deleted record is gone', (upstream) =>
    onEach(upstream, async ({ set, path, record }) => {
      const reply = await remove(upstream, path, record['@odata.etag']);
      hold(reply.status === 204, `${answerOf(reply)} to the DELETE in ${set}`);
      const read = await upstream.send('GET', path);
      hold(read.status === 404, `${answerOf(read)} to the GET of what was deleted from ${set}`);
      hold((await upstream.count(set, `id eq ${record.id}`)) === 0, `it is still in the list of ${set}`);
    }),
  ),
  writeRule('A.delete.2', 'A record is deleted without an If-Match, too', (upstream) =>
    onEach(upstream, async ({ set, path }) => {
      const reply = await upstream.send('DELETE', path);
      hold(reply.status === 204, `${answerOf(reply)} to the DELETE in ${set}`);
      const read = await upstream.send('GET', path);
      hold(read.status === 404, `${answerOf(read)} to the GET of what was deleted from ${set}`);
    }),
  ),
  writeRule('A.delete.3', 'A stale If-Match deletes nothing', (upstream) =>
    onEach(upstream, async ({ set, path, record }) => {
      const stale = record['@odata.etag'];
      const body = set === 'items' ? { unitPrice: 5 } : { city: 'Oslo' };
      await upstream.send('PATCH', path, { body, headers: { 'if-match': stale } });
      const reply = await remove(upstream, path, stale);
      const expected = upstream.dialect === 'document' ? [409, 412] : [409];
      hold(expected.includes(reply.status), `${answerOf(reply)} to the stale DELETE in ${set}`);
      await upstream.read(path);
    }),
  ),
];
