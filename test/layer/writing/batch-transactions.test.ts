import { expect } from 'vitest';
import {
  codesOf,
  entriesFor,
  recordsIn,
  shapesOf,
  storedIn,
  type Values,
} from '../../support/cases/every-input.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';

const settings = { BUSINESS_DIALECT: 'dynamics' };
const inDocument = testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' });
const test = testWith({ dialect: 'dynamics' }, settings)
  // A layer remembers until it stops whether an entity set keeps client-supplied ids.
  .extend('unproven', async ({ sandbox }, { onCleanup }) => {
    const layer = await startTestLayer(sandbox.url, settings);
    onCleanup(() => layer.stop());
    return layer;
  });

const newId = '00c0ffee-0000-4000-8000-00000000000b';

async function batch(layer: TestLayer, entries: readonly Values[]) {
  const { data, errors } = await layer.query(
    `mutation ($entries: [BatchEntryInput!]!) { batch(input: { atomic: true, entries: $entries }) { results {
      record { ... on Customer { id city } ... on Employee { id city } ... on SalesOrder { id customer { id } } }
      deletedId userErrors { code message path }
    } } }`,
    { entries },
  );
  return { results: data?.batch?.results, errors };
}

test('an atomic batch is one call that asks for one transaction', async ({ layer, sandbox }) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);

  const { results, errors } = await batch(layer, [
    { createCustomer: { id: newId, displayName: 'Brindle Trading' } },
    { createSalesOrder: { customerId: newId } },
    { updateCustomer: customer },
    { deleteEmployee: employee },
  ]);

  expect(errors).toBeUndefined();
  expect(results).toMatchObject([
    { record: { id: newId }, userErrors: [] },
    { record: { customer: { id: newId } }, userErrors: [] },
    { record: { city: 'ENTRY 0' }, userErrors: [] },
    { deletedId: employee?.id, userErrors: [] },
  ]);
  const [call] = await sandbox.calls();
  expect(call?.path).toMatch(/\$batch$/);
  expect(call?.headers).toMatchObject({ isolation: 'snapshot' });
  expect(call?.headers.prefer).toBeUndefined();
});

test('if one entry fails, nothing is changed: it has its reason, the others before and after it are CONFLICT', async ({
  unproven,
  sandbox,
}) => {
  const [first, second] = await entriesFor(sandbox, 'updateCustomer', 2);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
  const before = [await storedIn(sandbox, 'customers'), await storedIn(sandbox, 'employees')];

  const { results, errors } = await batch(unproven, [
    { createCustomer: { displayName: 'Brindle Trading' } },
    { deleteEmployee: employee },
    { updateCustomer: { ...first, ifMatch: 'W/"old"' } },
    { updateCustomer: second },
  ]);

  expect(errors).toBeUndefined();
  expect(codesOf(results)).toEqual(['CONFLICT', 'CONFLICT', 'STALE_RECORD', 'CONFLICT']);
  expect(results[0]).toMatchObject({
    record: null,
    deletedId: null,
    userErrors: [{ message: expect.stringContaining('one transaction') }],
  });
  expect(results[1].deletedId).toBeNull();
  expect(results[2]).toMatchObject({
    record: { id: first?.id },
    userErrors: [{ path: ['input', 'entries', '2', 'updateCustomer', 'ifMatch'] }],
  });
  expect([await storedIn(sandbox, 'customers'), await storedIn(sandbox, 'employees')]).toEqual(before);
  const [call, ...reads] = await sandbox.calls();
  expect(call?.parts?.map(({ status }) => status)).toEqual([201, 204, 409]);
  // The employee shows that nothing was carried out; the other is the stale entry.
  expect(reads.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test.for([
  ['a change', 'before', 1],
  ['a change', 'behind', 0],
  ['a delete', 'before', 1],
] as const)(
  'a stale entry whose record already has its values is STALE_RECORD, if %s %s it is not carried out',
  async ([other, , at], { layer, sandbox }) => {
    const [first, second] = await entriesFor(sandbox, 'updateCustomer', 2);
    const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
    await batch(layer, [{ updateCustomer: first }]);
    await sandbox.forgetCalls();

    const entries: Values[] = [
      other === 'a change' ? { updateCustomer: second } : { deleteEmployee: employee },
    ];
    entries.splice(at, 0, { updateCustomer: first });
    const { results } = await batch(layer, entries);

    expect(codesOf(results)).toEqual(at === 0 ? ['STALE_RECORD', 'CONFLICT'] : ['CONFLICT', 'STALE_RECORD']);
    expect(results[at]).toMatchObject({
      record: { id: first?.id },
      userErrors: [{ path: ['input', 'entries', String(at), 'updateCustomer', 'ifMatch'] }],
    });
    // The batch, the stale record and that of the other entry.
    expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
  },
);

test('entries with a stale one whose record already has its values are OUTCOME_UNKNOWN, if all may have been carried out before', async ({
  unproven,
  sandbox,
}) => {
  const [first, second] = await entriesFor(sandbox, 'updateCustomer', 2);
  const both = [{ updateCustomer: first }, { updateCustomer: second }];
  await batch(unproven, both);

  // As a proxy may deliver it again.
  const again = await batch(unproven, both);
  const withCreate = await batch(unproven, [
    { createCustomer: { displayName: 'Ann' } },
    { updateCustomer: first },
  ]);

  for (const { results } of [again, withCreate])
    expect(codesOf(results)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
});

test('a stale entry whose record already has its values is STALE_RECORD, if a record of a generated id is absent', async ({
  unproven,
  sandbox,
}) => {
  const [first] = await entriesFor(sandbox, 'updateCustomer', 1);
  await unproven.query('mutation { createEmployee(input: {}) { userErrors { code } } }');
  await batch(unproven, [{ updateCustomer: first }]);

  const { results } = await batch(unproven, [{ createEmployee: {} }, { updateCustomer: first }]);

  expect(codesOf(results)).toEqual(['CONFLICT', 'STALE_RECORD']);
});

test('if one entry is invalid, nothing is sent', async ({ layer, sandbox }) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);

  const { results } = await batch(layer, [
    { updateCustomer: customer },
    { updateCustomer: { ...customer, patch: {} } },
  ]);

  expect(codesOf(results)).toEqual(['CONFLICT', 'INVALID_INPUT']);
  expect(await sandbox.calls()).toEqual([]);
});

inDocument(
  'where the upstream has no transactions, it is BAD_USER_INPUT and nothing is sent',
  async ({ layer, sandbox }) => {
    const { results, errors } = await batch(layer, [{ createItem: {} }, { createItem: {} }]);

    expect(results).toBeUndefined();
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(
          '`atomic` needs an upstream that has transactions (BUSINESS_DIALECT=dynamics)',
        ),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    expect(await sandbox.calls()).toEqual([]);
  },
);

test.for([
  [404, undefined, ['UPSTREAM_NOT_FOUND']],
  [405, ['REFUSED', 'REFUSED'], undefined],
  [501, ['REFUSED', 'REFUSED'], undefined],
] as const)(
  'without batches (%i) nothing is sent one by one',
  async ([status, userErrors, codes], { layer, sandbox }) => {
    await sandbox.fault({ path: '$batch', status, body: {} });

    const { results, errors } = await batch(layer, [{ createItem: {} }, { createItem: {} }]);

    expect(results && codesOf(results)).toEqual(userErrors);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(codes);
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test.for([
  ['before', ['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']],
  ['after', ['', '', 'OUTCOME_UNKNOWN']],
] as const)(
  'one whose connection is reset %s it is carried out is never sent again, as a whole or in parts: the records decide',
  async ([reset, codes], { unproven, sandbox }) => {
    const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
    const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
    await sandbox.fault({ path: '$batch', reset });

    const { results } = await batch(unproven, [
      { updateCustomer: customer },
      { deleteEmployee: employee },
      // It carries no id to find it by.
      { createEmployee: { city: 'Oslo' } },
    ]);

    expect(codesOf(results)).toEqual(codes);
    expect((await shapesOf(sandbox)).slice(1).every((shape) => /GET/.test(shape))).toBe(true);
  },
);

test('it carries no generated id before the set is proven to keep them: a refusal would undo all', async ({
  unproven,
  sandbox,
}) => {
  const seeded = (await recordsIn(sandbox, 'employees')).length;
  const entries = [{ createEmployee: {} }, { createEmployee: {} }];
  const idsSent = async () =>
    JSON.parse((await sandbox.calls()).at(-1)?.body ?? '').requests.map(
      ({ body }: { body: Values }) => body.id !== undefined,
    );

  const first = await batch(unproven, entries);
  const sentFirst = await idsSent();
  await unproven.query('mutation { createEmployee(input: {}) { userErrors { code } } }');
  const second = await batch(unproven, entries);

  expect([...first.results, ...second.results].flatMap(({ userErrors }) => userErrors)).toEqual([]);
  expect(sentFirst).toEqual([false, false]);
  expect(await idsSent()).toEqual([true, true]);
  expect(await recordsIn(sandbox, 'employees')).toHaveLength(seeded + 5);
});
