import { pino } from 'pino';
import { describe, expect } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { startLayer } from '../../src/layer.ts';
import { sandboxCompanyId } from '../../src/sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testToken, testWith } from '../support/layer.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const chosen = '44444444-4444-4444-8444-444444444444';

type Policy = 'honour' | 'drop' | 'refuse';

/** What a layer knows of ids it knows for good: every test has its own. */
const testIn = (chosenIds: Policy | Partial<Record<string, Policy>>, settings: Record<string, string> = {}) =>
  testWith(
    { chosenIds, dialect: settings.BUSINESS_DIALECT === 'dynamics' ? 'dynamics' : 'document' },
    {},
  ).extend('fresh', async ({ sandbox }, { onCleanup }) => {
    const layer = await startTestLayer(sandbox.url, settings);
    onCleanup(() => layer.stop());
    return layer;
  });

const honouring = testIn('honour');
const dropping = testIn('drop');
const inDynamics = testIn({}, { BUSINESS_DIALECT: 'dynamics' });

const create = async (layer: TestLayer, input: object, type: 'Customer' | 'SalesOrder' = 'Customer') => {
  const field = type === 'Customer' ? 'customer' : 'salesOrder';
  const { data, errors } = await layer.query(
    `mutation ($input: Create${type}Input!) { payload: create${type}(input: $input) {
      record: ${field} { id number } userErrors { code }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.payload;
};

const named = (displayName: string) => ({ displayName });

/** The calls, each with the id its body holds. */
const calls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, status, body }) => [
    method,
    status,
    body === '' ? undefined : (JSON.parse(body).id as string | undefined),
  ]);

const unknown = { record: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] };

honouring(
  'a create without an id is sent with one of its own, which the record then has',
  async ({ fresh, sandbox }) => {
    const first = await create(fresh, named('Brindle'));
    const second = await create(fresh, named('Brindle'));

    expect(first.record.id).toMatch(uuid);
    expect(second.record.id).not.toBe(first.record.id);
    expect(await calls(sandbox)).toEqual([
      ['POST', 201, first.record.id],
      ['POST', 201, second.record.id],
    ]);
  },
);

honouring(
  'a create answered 201 without a body is made, and read under its id; it proves nothing of ids',
  async ({ fresh, sandbox }) => {
    await sandbox.fault({ method: 'POST', status: 201, after: true });

    const { record, userErrors } = await create(fresh, named('Brindle'));
    await sandbox.fault({ method: 'POST', reset: 'before' });
    const lost = await create(fresh, named('Heron'));

    expect(userErrors).toEqual([]);
    expect(record.number).toEqual(expect.any(String));
    expect(lost).toEqual(unknown);
    expect(await calls(sandbox)).toEqual([
      ['POST', 201, record.id],
      ['GET', 200, undefined],
      ['POST', 0, expect.stringMatching(uuid)],
      ['GET', 404, undefined],
    ]);
  },
);

honouring('trust in ids ends with the first record that is given another one', async ({ fresh, sandbox }) => {
  await create(fresh, named('The first'));
  await sandbox.send('POST', '/sandbox/chosen-ids', { customers: 'drop' });
  await create(fresh, named('The second'));
  await sandbox.send('POST', '/sandbox/chosen-ids', { customers: 'honour' });
  await sandbox.forgetCalls();
  await sandbox.fault({ method: 'POST', reset: 'before' });

  expect(await create(fresh, named('Brindle'))).toEqual(unknown);
  expect(await calls(sandbox)).toEqual([['POST', 0, undefined]]);
});

describe('where the upstream gives ids of its own', () => {
  dropping('a record has the id it was given, and no id is sent any more', async ({ fresh, sandbox }) => {
    const first = await create(fresh, named('Brindle'));
    const second = await create(fresh, named('Brindle'));

    const [[, , sent], ...others] = (await calls(sandbox)) as [[string, number, string]];
    expect(first).toEqual({ record: { id: expect.any(String), number: expect.any(String) }, userErrors: [] });
    expect(first.record.id).not.toBe(sent);
    expect(second.userErrors).toEqual([]);
    expect(others).toEqual([['POST', 201, undefined]]);
  });

  dropping.for([
    ['before it is carried out', { reset: 'before' }],
    ['after it is carried out', { reset: 'after' }],
  ] as const)(
    'a create lost %s is OUTCOME_UNKNOWN, and sent once',
    async ([_when, fault], { fresh, sandbox }) => {
      await create(fresh, named('The first'));
      await sandbox.forgetCalls();
      await sandbox.fault({ method: 'POST', ...fault });

      expect(await create(fresh, named('Brindle'))).toEqual(unknown);
      expect(await calls(sandbox)).toEqual([['POST', 0, undefined]]);
    },
  );

  dropping(
    "a caller's own id is still sent, and a lost create looked up under it once",
    async ({ fresh, sandbox }) => {
      const made = await create(fresh, { id: chosen, ...named('Brindle') });
      await sandbox.fault({ method: 'POST', reset: 'after' });
      const lost = await create(fresh, { id: chosen, ...named('Brindle') });

      expect(made.record.id).not.toBe(chosen);
      expect(lost).toEqual(unknown);
      expect(await calls(sandbox)).toEqual([
        ['POST', 201, chosen],
        ['POST', 0, chosen],
        ['GET', 404, undefined],
      ]);
    },
  );

  dropping('the log says so once for every set', async ({ sandbox }) => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const settings = {
      PORT: '0',
      ADMIN_PORT: 'off',
      BUSINESS_URL: sandbox.url,
      BUSINESS_COMPANY_ID: sandboxCompanyId,
    };
    const layer = await startLayer(
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
  'ids are trusted set by set: those of customers are kept, those of orders are not',
  async ({ fresh, sandbox }) => {
    await create(fresh, named('The first'));
    await create(fresh, { customerNumber: 'C10000' }, 'SalesOrder');
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'POST', reset: 'before', times: 2 });

    const order = await create(fresh, { customerNumber: 'C10000' }, 'SalesOrder');
    const customer = await create(fresh, named('Brindle'));

    expect(order).toEqual(unknown);
    expect(customer.userErrors).toEqual([]);
    expect(await calls(sandbox)).toEqual([
      ['POST', 0, undefined],
      ['POST', 0, customer.record.id],
      ['GET', 404, undefined],
      ['POST', 201, customer.record.id],
    ]);
  },
);

honouring('what one set has proven says nothing of another', async ({ fresh, sandbox }) => {
  await create(fresh, named('The first'));
  await sandbox.forgetCalls();
  await sandbox.fault({ method: 'POST', reset: 'before' });

  expect(await create(fresh, { customerNumber: 'C10000' }, 'SalesOrder')).toEqual(unknown);
  expect((await calls(sandbox)).map(([method]) => method)).toEqual(['POST', 'GET']);
});
