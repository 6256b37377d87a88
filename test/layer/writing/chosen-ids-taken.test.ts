import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;

const id = '44444444-4444-4444-8444-444444444444';

/** A layer and a second replica of its own for each test, since they remember which entity sets keep client-supplied ids. */
const testIn = (dialect: 'document' | 'dynamics') =>
  testWith({ dialect }, {}).extend('replicas', async ({ sandbox }, { onCleanup }) => {
    const settings = { BUSINESS_DIALECT: dialect };
    const replicas = [
      await startTestLayer(sandbox.url, settings),
      await startTestLayer(sandbox.url, settings),
    ] as const;
    onCleanup(async () => {
      for (const layer of replicas) await layer.stop();
    });
    return replicas;
  });

const inDocument = testIn('document');
const inDynamics = testIn('dynamics');

const create = async (layer: TestLayer, input: object) => {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) {
      customer { id number displayName } userErrors { code upstream { code } }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.createCustomer;
};

const calls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, status }) => [method, status]);

/** How many customers have a name, whatever was answered about them. */
async function count(sandbox: TestSandbox, displayName: string): Promise<number> {
  const response = await sandbox.send('GET', '/sandbox/records?set=customers');
  const { records } = (await response.json()) as { records: { values: Record<string, string> }[] };
  return records.filter(({ values }) => values.displayName === displayName).length;
}

const taken = [{ code: 'ALREADY_EXISTS', upstream: { code: 'Internal_EntityWithSameKeyExists' } }];

const input = { id, displayName: 'Brindle' };

describe.each([
  ['document', 409, inDocument],
  ['dynamics', 400, inDynamics],
] as const)('under a client-supplied id or number, in the dialect %s,', (dialect, duplicate, test) => {
  test('the same create sent twice creates one record, and the second is ALREADY_EXISTS with it', async ({
    replicas: [layer],
    sandbox,
  }) => {
    const first = await create(layer, input);
    const second = await create(layer, input);

    expect(first).toMatchObject({ customer: input, userErrors: [] });
    expect(second).toEqual({ customer: first.customer, userErrors: taken });
    expect(await count(sandbox, 'Brindle')).toBe(1);
    expect(await calls(sandbox)).toEqual([
      ['POST', 201],
      ['POST', duplicate],
      ['GET', 200],
    ]);
  });

  test('the same create sent to two replicas at once creates one record, which both return', async ({
    replicas,
    sandbox,
  }) => {
    const payloads = await Promise.all(replicas.map((layer) => create(layer, input)));

    expect(await count(sandbox, 'Brindle')).toBe(1);
    for (const { customer } of payloads) expect(customer).toMatchObject(input);
    expect(payloads.flatMap(({ userErrors }) => userErrors)).toEqual(taken);
  });

  test('a create that is OUTCOME_UNKNOWN is sent again by its caller, and creates one record', async ({
    replicas: [layer, other],
    sandbox,
  }) => {
    await sandbox.fault({ method: 'POST', reset: 'before' });
    const lost = await create(layer, input);
    const again = await create(other, input);
    const onceMore = await create(layer, input);

    expect(lost).toMatchObject({ customer: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect(again).toMatchObject({ customer: input, userErrors: [] });
    expect(onceMore).toEqual({ customer: again.customer, userErrors: taken });
    expect(await count(sandbox, 'Brindle')).toBe(1);
  });

  test('another create with the id is ALREADY_EXISTS with the existing record, and changes nothing', async ({
    replicas: [layer],
    sandbox,
  }) => {
    const { customer } = await create(layer, input);

    expect(await create(layer, { id, displayName: 'Heron' })).toEqual({ customer, userErrors: taken });
    expect(await count(sandbox, 'Heron')).toBe(0);
  });

  test('a create whose number another record has is ALREADY_EXISTS with that record', async ({
    replicas: [layer],
    sandbox,
  }) => {
    await sandbox.send('POST', customers, { displayName: 'Heron', number: "BRINDLE'1" });
    await sandbox.forgetCalls();

    expect(await create(layer, { ...input, number: "brindle'1" })).toMatchObject({
      customer: { displayName: 'Heron' },
      userErrors: taken,
    });
    expect(await calls(sandbox)).toEqual([
      ['POST', duplicate],
      ['GET', 404],
      ['GET', 200],
    ]);
  });

  test('the existing record is read from the primary, and its absence does not hide ALREADY_EXISTS', async ({
    replicas: [layer],
    sandbox,
  }) => {
    if (dialect === 'dynamics') await sandbox.lag(true);
    const { customer } = await create(layer, input);
    const shown = await create(layer, input);
    await sandbox.fault({ method: 'GET', status: 503, body: {}, times: 9 });
    const unread = await create(layer, input);

    expect(shown).toEqual({ customer, userErrors: taken });
    expect(unread).toEqual({ customer: null, userErrors: taken });
    expect((await calls(sandbox)).filter(([method]) => method === 'GET')).toHaveLength(2);
  });

  test('a number that is taken is ALREADY_EXISTS with the existing record, in two calls, where the caller supplied no id', async ({
    replicas: [layer],
    sandbox,
  }) => {
    await sandbox.send('POST', customers, { displayName: 'Heron', number: 'BRINDLE-1' });
    await sandbox.forgetCalls();

    expect(await create(layer, { displayName: 'Brindle', number: 'BRINDLE-1' })).toMatchObject({
      customer: { displayName: 'Heron' },
      userErrors: taken,
    });
    expect(await calls(sandbox)).toEqual([
      ['POST', duplicate],
      ['GET', 200],
    ]);
  });
});

inDocument(
  'a lost create with the id of an older record is never reported as created, though ids are proven to be kept',
  async ({ replicas: [layer], sandbox }) => {
    await create(layer, { displayName: 'The first' });
    await sandbox.send('POST', customers, { id, displayName: 'Older' });
    await sandbox.fault({ method: 'POST', reset: 'before' });

    const { customer, userErrors } = await create(layer, input);

    expect(customer).toMatchObject({ id, displayName: 'Older' });
    expect(userErrors).toHaveLength(1);
    expect(await count(sandbox, 'Brindle')).toBe(0);
  },
);
