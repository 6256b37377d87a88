import { pino } from 'pino';
import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTributary } from '../../../src/app/compose.ts';
import { readConfig } from '../../../src/config/config.ts';
import {
  callsWithIds,
  createRecord,
  testWithIds,
  unknownOutcome,
  uuid,
} from '../../support/client-supplied-ids.ts';
import { testToken } from '../../support/layer.ts';

const chosen = '44444444-4444-4444-8444-444444444444';

const honouring = testWithIds('honour');
const dropping = testWithIds('drop');
const inDynamics = testWithIds({}, { BUSINESS_DIALECT: 'dynamics' });

const named = (displayName: string) => ({ displayName });

honouring(
  'a create without an id is sent with a generated one, which the record then has',
  async ({ fresh, sandbox }) => {
    const first = await createRecord(fresh, named('Brindle'));
    const second = await createRecord(fresh, named('Brindle'));

    expect(first.record.id).toMatch(uuid);
    expect(second.record.id).not.toBe(first.record.id);
    expect(await callsWithIds(sandbox)).toEqual([
      ['POST', 201, first.record.id],
      ['POST', 201, second.record.id],
    ]);
  },
);

honouring(
  'a create answered 201 without a body has succeeded, and is read under its id; it does not prove that ids are kept',
  async ({ fresh, sandbox }) => {
    await sandbox.fault({ method: 'POST', status: 201, after: true });

    const { record, userErrors } = await createRecord(fresh, named('Brindle'));
    await sandbox.fault({ method: 'POST', reset: 'before' });
    const lost = await createRecord(fresh, named('Heron'));

    expect(userErrors).toEqual([]);
    expect(record.number).toEqual(expect.any(String));
    expect(lost).toEqual(unknownOutcome);
    expect(await callsWithIds(sandbox)).toEqual([
      ['POST', 201, record.id],
      ['GET', 200, undefined],
      ['POST', 0, expect.stringMatching(uuid)],
      ['GET', 404, undefined],
    ]);
  },
);

honouring(
  'the proof that ids are kept ends with the first record that gets another id',
  async ({ fresh, sandbox }) => {
    await createRecord(fresh, named('The first'));
    await sandbox.send('POST', '/sandbox/chosen-ids', { customers: 'drop' });
    await createRecord(fresh, named('The second'));
    await sandbox.send('POST', '/sandbox/chosen-ids', { customers: 'honour' });
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'POST', reset: 'before' });

    expect(await createRecord(fresh, named('Brindle'))).toEqual(unknownOutcome);
    expect(await callsWithIds(sandbox)).toEqual([['POST', 0, undefined]]);
  },
);

describe('where the upstream assigns its own ids', () => {
  dropping(
    'a record has the id that the upstream assigned, and no id is sent any more',
    async ({ fresh, sandbox }) => {
      const first = await createRecord(fresh, named('Brindle'));
      const second = await createRecord(fresh, named('Brindle'));

      const [[, , sent], ...others] = (await callsWithIds(sandbox)) as [[string, number, string]];
      expect(first).toEqual({
        record: { id: expect.any(String), number: expect.any(String) },
        userErrors: [],
      });
      expect(first.record.id).not.toBe(sent);
      expect(second.userErrors).toEqual([]);
      expect(others).toEqual([['POST', 201, undefined]]);
    },
  );

  dropping.for([
    ['before it is carried out', { reset: 'before' }],
    ['after it is carried out', { reset: 'after' }],
  ] as const)(
    'a create lost %s is OUTCOME_UNKNOWN, and sent once',
    async ([_when, fault], { fresh, sandbox }) => {
      await createRecord(fresh, named('The first'));
      await sandbox.forgetCalls();
      await sandbox.fault({ method: 'POST', ...fault });

      expect(await createRecord(fresh, named('Brindle'))).toEqual(unknownOutcome);
      expect(await callsWithIds(sandbox)).toEqual([['POST', 0, undefined]]);
    },
  );

  dropping(
    "a caller's own id is still sent, and a lost create verified under it once",
    async ({ fresh, sandbox }) => {
      const made = await createRecord(fresh, { id: chosen, ...named('Brindle') });
      await sandbox.fault({ method: 'POST', reset: 'after' });
      const lost = await createRecord(fresh, { id: chosen, ...named('Brindle') });

      expect(made.record.id).not.toBe(chosen);
      expect(lost).toEqual(unknownOutcome);
      expect(await callsWithIds(sandbox)).toEqual([
        ['POST', 201, chosen],
        ['POST', 0, chosen],
        ['GET', 404, undefined],
      ]);
    },
  );

  dropping('the log reports this once for every set', async ({ sandbox }) => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const settings = {
      PORT: '0',
      ADMIN_PORT: 'off',
      BUSINESS_URL: sandbox.url,
      BUSINESS_COMPANY_ID: sandboxCompanyId,
    };
    const layer = await startTributary(
      readConfig(settings, () => ''),
      null,
      log,
    );
    const mutations = ['a', 'b', 'c'].map(
      (name) => `${name}: createCustomer(input: { displayName: "${name}" }) { userErrors { code } }`,
    );
    const order = 'createSalesOrder(input: { customerNumber: "C10000" }) { userErrors { code } }';
    const query = `mutation { ${mutations.join(' ')} ${order} }`;

    // Side by side, too.
    await Promise.all(
      [1, 2].map(() =>
        fetch(`${layer.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}` },
          body: JSON.stringify({ query }),
        }),
      ),
    );
    await layer.stop();

    const told = lines.map((line) => JSON.parse(line)).filter(({ entitySet }) => entitySet);
    expect(told).toMatchObject([{ entitySet: 'customers' }, { entitySet: 'salesOrders' }]);
    expect(lines.join()).not.toContain(testToken);
  });
});

inDynamics(
  'the proof is kept for each set: ids of customers are kept, those of orders are not',
  async ({ fresh, sandbox }) => {
    await createRecord(fresh, named('The first'));
    await createRecord(fresh, { customerNumber: 'C10000' }, 'SalesOrder');
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'POST', reset: 'before', times: 2 });

    const order = await createRecord(fresh, { customerNumber: 'C10000' }, 'SalesOrder');
    const customer = await createRecord(fresh, named('Brindle'));

    expect(order).toEqual(unknownOutcome);
    expect(customer.userErrors).toEqual([]);
    expect(await callsWithIds(sandbox)).toEqual([
      ['POST', 0, undefined],
      ['POST', 0, customer.record.id],
      ['GET', 404, undefined],
      ['POST', 201, customer.record.id],
    ]);
  },
);

honouring('the proof of one set does not apply to another', async ({ fresh, sandbox }) => {
  await createRecord(fresh, named('The first'));
  await sandbox.forgetCalls();
  await sandbox.fault({ method: 'POST', reset: 'before' });

  expect(await createRecord(fresh, { customerNumber: 'C10000' }, 'SalesOrder')).toEqual(unknownOutcome);
  expect((await callsWithIds(sandbox)).map(([method]) => method)).toEqual(['POST', 'GET']);
});
