import { describe, expect } from 'vitest';
import { sandboxCompanyId as companyId } from '../../../sandbox/seed.ts';
import { recordFiles, recordKinds } from '../../support/cases/record-kinds.ts';
import { testWith } from '../../support/layer.ts';
import { create, pathOf, startWatching, subscribed, webhookTest } from '../../support/webhooks.ts';

const test = testWith({}, { RECORD_TYPES: recordFiles, POLL_RECORDS_MS: '50', ADMIN_PORT: '0' });

const isPoll = ({ path }: { readonly path: string }) => path.includes('lastModifiedDateTime%20ge');

describe.for(recordKinds)('changes of a record type %s', ([, kind]) => {
  const { type, member, many, city } = kind;

  test('are reported with the record as it is then', async ({ layer, sandbox }) => {
    const { data } = await layer.query(`{ company { ${many}(first: 1) { nodes { id nodeId } } } }`);
    const [{ id, nodeId }] = data.company[many].nodes;
    await sandbox.forgetCalls();
    const events = layer
      .watch(
        `subscription { recordChanged(types: [${member}]) {
          type change companyId id recordNodeId record { __typename ... on ${type} { id ${city} } }
        } }`,
        {},
      )
      [Symbol.asyncIterator]();
    const first = events.next();
    while (!(await sandbox.calls()).some(isPoll)) await new Promise(setImmediate);

    const path = `/api/v2.0/companies(${companyId})/employees(${id})`;
    await sandbox.send('PATCH', path, { city: 'Tromsø' }, { 'if-match': '*' });
    const { value } = await first;
    await events.return?.();

    expect(value.errors).toBeUndefined();
    expect(value.data.recordChanged).toEqual({
      type: member,
      change: 'CHANGED',
      companyId,
      id,
      recordNodeId: nodeId,
      record: { __typename: type, id, [city]: 'Tromsø' },
    });
  });
});

// Any poll would come after the test.
const pushed = webhookTest({}, { POLL_RECORDS_MS: '60000', RECORD_TYPES: recordFiles });

pushed(
  'types of one entity set share its webhook subscription, and each is told of every change',
  async ({ layer, sandbox }) => {
    const watcher = await startWatching(layer, sandbox, ['CUSTOMER', 'BUYER']);
    const subscriptions = await subscribed(sandbox);

    const id = await create(sandbox, 'customers', { displayName: 'New' });
    const events = [await watcher.next(), await watcher.next()];
    await watcher.leave();

    expect(subscriptions.map(({ resource }) => resource)).toEqual([pathOf('customers')]);
    expect(events.map(({ data }) => data.recordChanged)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'CUSTOMER', change: 'CREATED', id }),
        expect.objectContaining({ type: 'BUYER', change: 'CREATED', id }),
      ]),
    );
  },
);
