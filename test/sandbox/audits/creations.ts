import { randomUUID } from 'node:crypto';
import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, writeRule } from './audit.ts';
import { documentedSets, mistakeIn } from './documented.ts';
import type { Reply, Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

const orders = (upstream: Upstream, options = {}) => upstream.path('salesOrders', options);

async function customerOf(upstream: Upstream): Promise<Json> {
  const rows = await upstream.sample('customers');
  const open = rows.find((row) => !['Ship', 'Invoice', 'All'].includes(row.blocked));
  return needed(open, 'customer who is not blocked');
}

async function itemOf(upstream: Upstream): Promise<Json> {
  const item = (await upstream.sample('items')).find((row) => row.blocked === false);
  return needed(item, 'item that is not blocked');
}

/** What the lines are called where they are created and read. */
const linesOf = ({ dialect }: Upstream) => (dialect === 'document' ? 'documentLines' : 'salesOrderLines');

/** Holds for an order that was created, and deletes it where that is possible. */
async function onCreated(upstream: Upstream, reply: Reply, check: (order: Json) => void): Promise<void> {
  hold(reply.status === 201, `${answerOf(reply)} to the creation`);
  const path = upstream.path('salesOrders', {}, reply.body.id);
  try {
    check(reply.body);
    check(await upstream.read(`${path}?$expand=${linesOf(upstream)}`));
  } finally {
    await upstream.send('DELETE', path, { headers: { 'if-match': '*' } });
  }
}

/** Creation of orders. */
export const creations: readonly Audit[] = [
  writeRule('A.create.4', 'Lines nested in a new order are created with it', async (upstream) => {
    const lines = linesOf(upstream);
    const [customer, item] = [await customerOf(upstream), await itemOf(upstream)];
    const body = {
      customerId: customer.id,
      [lines]: [2, 3].map((quantity) => ({ itemId: item.id, quantity })),
    };
    const reply = await upstream.send('POST', orders(upstream, { $expand: lines }), { body });
    await onCreated(upstream, reply, (order) => {
      hold(Array.isArray(order[lines]), `the order has no array '${lines}'`);
      const quantities = order[lines].map((line: Json) => line.quantity);
      hold(quantities.join() === '2,3', `the quantities of the lines are ${quantities}`);
      const numbers = order[lines].map((line: Json) => line.itemNo ?? line.lineObjectNumber);
      hold(
        numbers.every((one: Json) => one === item.number),
        `the items of the lines are ${numbers}`,
      );
    });
  }),
  writeRule('A.create.5', 'Without a customer an order is refused', async (upstream) => {
    const reply = await upstream.send('POST', orders(upstream), { body: { orderDate: '2025-10-01' } });
    hold(reply.status === 400, answerOf(reply));
  }),
];

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
  writeRule('A.duplicate.1', 'A number that is taken is refused and nothing is created', async (upstream) => {
    for (const set of Object.keys(bodies)) {
      const { number } = needed((await upstream.sample(set))[0], `record in ${set}`);
      const before = await upstream.count(set);
      const body = { ...bodies[set], number };
      const reply = await upstream.send('POST', upstream.path(set), { body });
      if (reply.status === 201) {
        await remove(upstream, upstream.path(set, {}, reply.body.id));
      }
      hold([400, 409].includes(reply.status), `${answerOf(reply)} to the second ${number} in ${set}`);
      const after = await upstream.count(set);
      hold(after === before, `there were ${before} records in ${set} and are now ${after}`);
    }
  }),
];
