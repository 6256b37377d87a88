import { describe, expect, test as plain } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import {
  callsWithIds,
  createRecord,
  testWithIds,
  unknownOutcome,
  uuid,
} from '../../support/client-supplied-ids.ts';
import { startBeforeStub, startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const chosen = '44444444-4444-4444-8444-444444444444';

const named = (displayName: string) => ({ displayName });
const switchedOff = testWithIds('honour', { BUSINESS_CHOSEN_IDS: 'off' });
const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;

for (const [policy, test, carried] of [
  ['honour', testWithIds('honour'), [true, true, true]],
  ['drop', testWithIds('drop'), [true, false, true]],
  ['refuse', testWithIds('refuse'), [true, false, false, true]],
] as const)
  test(`where the upstream's policy for client-supplied ids is ${policy}, a create carries an id while it may be kept, and is executed once`, async ({
    fresh,
    sandbox,
  }) => {
    const [first, second] = [await createRecord(fresh, named('A')), await createRecord(fresh, named('B'))];
    const own = await createRecord(fresh, { id: chosen, ...named('C') });

    expect([first.userErrors, second.userErrors]).toEqual([[], []]);
    expect(own.userErrors).toEqual(policy === 'refuse' ? [{ code: 'INVALID_INPUT' }] : []);
    expect(own.record?.id === chosen).toBe(policy === 'honour');
    const sent = (await callsWithIds(sandbox)).map(([, , id]) => id);
    expect(sent.map((one) => one !== undefined)).toEqual(carried);
    expect(sent[0]).toMatch(uuid);
    expect(first.record.id === sent[0]).toBe(policy === 'honour');
    expect(sent.at(-1)).toBe(chosen);
  });

switchedOff(
  "a caller's own id is sent and verified, but the create is never retried",
  async ({ fresh, sandbox }) => {
    const made = await createRecord(fresh, { id: chosen, ...named('The first') });
    await sandbox.forgetCalls();
    const other = chosen.replaceAll('4', '5');
    await sandbox.fault({ method: 'POST', reset: 'before' });
    const lost = await createRecord(fresh, { id: other, ...named('Brindle') });
    await sandbox.fault({ method: 'POST', reset: 'after' });
    const found = await createRecord(fresh, { id: other, ...named('Brindle') });

    expect(made).toMatchObject({ record: { id: chosen }, userErrors: [] });
    expect(lost).toEqual(unknownOutcome);
    expect(found).toMatchObject({ record: { id: other }, userErrors: [] });
    expect(await callsWithIds(sandbox)).toEqual([
      ['POST', 0, other],
      ['GET', 404, undefined],
      ['POST', 0, other],
      ['GET', 200, undefined],
    ]);
  },
);

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

const replicated = testIn('document');
const replicatedInDynamics = testIn('dynamics');

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

const input = { id: chosen, displayName: 'Brindle' };

describe.each([
  ['document', 409, replicated],
  ['dynamics', 400, replicatedInDynamics],
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
});

const duplicate = {
  status: 400,
  body: { error: { code: 'Internal_EntityWithSameKeyExists', message: 'The record already exists.' } },
};

/** The create of a number that an upstream says is taken, where searches for it find records with the numbers `found`. */
async function createTaken(number: string, ...found: readonly string[]) {
  const left = [...found];
  const { layer, stub } = await startBeforeStub(({ method }) => {
    if (method === 'POST') return duplicate;
    const row = { '@odata.etag': 'W/"1"', id: '7d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e', number: left.shift() };
    return { body: { value: [row] } };
  });
  const { data, errors } = await layer.query(
    `mutation ($number: String) { createCustomer(input: { displayName: "Ada", number: $number }) {
      customer { number } userErrors { code }
    } }`,
    { number },
  );
  expect(errors).toBeUndefined();
  const searches = stub.requests
    .filter(({ method }) => method === 'GET')
    .map(({ target }) => new URL(target, 'http://upstream').searchParams.get('$filter'));
  return { ...data.createCustomer, searches: [...new Set(searches)] };
}

plain.for([
  ['straße', 'STRASSE', 'STRAßE'],
  ['C-10', 'C-11', 'C-10'],
] as const)(
  'of %j, a record with the number %s is not the holder, but one with %s',
  async ([number, other, own]) => {
    const { customer, userErrors, searches } = await createTaken(number, other, own);

    expect(customer).toEqual({ number: own });
    expect(userErrors).toEqual([{ code: 'ALREADY_EXISTS' }]);
    expect(searches).toEqual([`number eq '${own}'`]);
  },
);
