import { describe, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import {
  codesOf,
  entriesFor,
  many,
  recordsIn,
  shapesOf,
  storedIn,
  type Values,
} from '../../support/cases/every-input.ts';
import { startLayerForTest, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' });

const inCompany = `/api/v2.0/companies(${sandboxCompanyId})`;
const newId = '00c0ffee-0000-4000-8000-00000000000b';
const absent = '00c0ffee-0000-4000-8000-000000000001';
const stale = 'W/"old"';

async function batch(layer: TestLayer, entries: readonly Values[]) {
  const { status, data, errors } = await layer.query(
    `mutation ($input: BatchInput!) { batch(input: $input) { results {
      record {
        __typename nodeId
        ... on SalesOrder { documentLines { itemNo } }
        ... on Customer { id city }
      }
      deletedId userErrors { code message path upstream { message } }
    } } }`,
    { input: { entries } },
  );
  return { status, results: data?.batch?.results, errors };
}

const townsOf = async (sandbox: TestSandbox) =>
  (await storedIn(sandbox, 'customers')).map(({ values, version }) => [values.city, version]);
const methodsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, path }) => (path.endsWith('$batch') ? '$batch' : method));

test('changes of several types are one call, with parts and results in the order of the entries; a failure keeps none of the others', async ({
  layer,
  sandbox,
}) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);

  const { results, errors } = await batch(layer, [
    { createCustomer: { id: newId, displayName: 'Brindle Trading', city: 'Moss' } },
    { createSalesOrder: { customerId: newId, documentLines: [{ lineType: 'Item', itemNo: '1004' }] } },
    { updateCustomer: { ...customer, ifMatch: stale, patch: { city: 'Oslo' } } },
    { deleteEmployee: employee },
    { deleteCustomer: { id: sandboxExamples.customerId, ifMatch: '*' } },
    { deleteCustomer: { id: absent, ifMatch: '*' } },
    { updateCustomer: customer },
  ]);

  expect(errors).toBeUndefined();
  const done = { deletedId: null, userErrors: [] };
  expect(results).toMatchObject([
    { ...done, record: { __typename: 'Customer', id: newId, city: 'Moss' } },
    { ...done, record: { __typename: 'SalesOrder', documentLines: [{ itemNo: '1004' }] } },
    {
      deletedId: null,
      record: { id: customer?.id },
      userErrors: [{ code: 'STALE_RECORD', path: ['input', 'entries', '2', 'updateCustomer', 'ifMatch'] }],
    },
    { deletedId: employee?.id, record: null, userErrors: [] },
    {
      deletedId: null,
      record: { id: sandboxExamples.customerId },
      userErrors: [{ code: 'REFUSED', upstream: { message: expect.stringContaining('Customer C10000') } }],
    },
    { deletedId: null, record: null, userErrors: [{ code: 'NOT_FOUND' }] },
    { ...done, record: { id: customer?.id, city: 'ENTRY 0' } },
  ]);
  const [first, ...others] = await sandbox.calls();
  expect(first).toMatchObject({ path: '/api/v2.0/$batch', headers: { prefer: 'odata.continue-on-error' } });
  expect(first?.parts?.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
    `POST ${inCompany}/customers`,
    `POST ${inCompany}/salesOrders`,
    `PATCH ${inCompany}/customers(${customer?.id})`,
    `DELETE ${inCompany}/employees(${employee?.id})`,
    `DELETE ${inCompany}/customers(${sandboxExamples.customerId})`,
    `DELETE ${inCompany}/customers(${absent})`,
    `PATCH ${inCompany}/customers(${customer?.id})`,
  ]);
  // The records of two that failed, and proof that one is absent.
  expect(others.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET']);
});

test('every part carries the tag of its entry, the fields of its patch and all digits', async ({
  layer,
  sandbox,
}) => {
  const [first, second] = await entriesFor(sandbox, 'updateItem', 2);
  const patches = [{ unitPrice: '4000.50', blocked: true }, { unitCost: '1234567890123456.789' }];
  const entries = [first, second].map((entry, index) => ({ ...entry, patch: patches[index] }));

  const { results } = await many(layer, 'updateItem', entries, 'unitPrice unitCost blocked');

  expect(results).toMatchObject([
    { record: { unitPrice: '4000.5', blocked: true } },
    { record: { unitCost: '1234567890123456.789' } },
  ]);
  const [call] = await sandbox.calls();
  expect(JSON.parse(call?.body ?? '').requests).toMatchObject([
    { id: '0', method: 'PATCH', headers: { 'if-match': first?.ifMatch, 'content-type': 'application/json' } },
    { id: '1', method: 'PATCH', headers: { 'if-match': second?.ifMatch } },
  ]);
  expect(call?.body).toContain('"body":{"blocked":true,"unitPrice":4000.50}');
  expect(call?.body).toContain('"body":{"unitCost":1234567890123456.789}');
});

test('invalid entries have their paths and are not sent, and one that is left is sent alone', async ({
  layer,
  sandbox,
}) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);

  const { results } = await batch(layer, [
    { updateCustomer: { ...customer, patch: {} } },
    { deleteCustomer: { id: absent, ifMatch: 'no tag' } },
    {
      createSalesOrder: {
        customerNumber: 'C10000',
        documentLines: [{ lineType: 'Comment', description: 'x', quantity: null }],
      },
    },
    { updateCustomer: customer },
  ]);

  expect(codesOf(results)).toEqual(['INVALID_INPUT', 'INVALID_INPUT', 'INVALID_INPUT', '']);
  expect(results.map(({ userErrors }: { userErrors: Values[] }) => userErrors[0]?.path)).toEqual([
    ['input', 'entries', '0', 'updateCustomer', 'patch'],
    ['input', 'entries', '1', 'deleteCustomer', 'ifMatch'],
    ['input', 'entries', '2', 'createSalesOrder', 'documentLines', '0', 'quantity'],
    undefined,
  ]);
  expect(await shapesOf(sandbox)).toEqual(['PATCH']);
});

test.for([
  ['two changes', { deleteItem: { id: newId, ifMatch: '*' }, deleteCustomer: { id: newId, ifMatch: '*' } }],
  ['no change', {}],
  ['null for a change', { createItem: null }],
] as const)('an entry with %s is rejected before any call', async ([_what, entry], { layer, sandbox }) => {
  const { status, errors } = await batch(layer, [entry]);

  expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  expect(await sandbox.calls()).toEqual([]);
});

test('a batch takes 1 to 100 entries: of others nothing is sent', async ({ layer, sandbox }) => {
  for (const count of [0, 101]) {
    const { results, errors } = await batch(layer, Array(count).fill({ createItem: {} }));

    expect(results).toBeUndefined();
    expect(errors).toMatchObject([{ path: ['batch'], extensions: { code: 'BAD_USER_INPUT' } }]);
  }
  expect(await sandbox.calls()).toEqual([]);
  const entries = await entriesFor(sandbox, 'updateItem', 100);
  expect(codesOf((await many(layer, 'updateItem', entries)).results)).toEqual(Array(100).fill(''));
  expect(await shapesOf(sandbox)).toEqual(['100 PATCH']);
});

test('the records of failing entries are read again together, and what is selected below results, too', async ({
  layer,
  sandbox,
}) => {
  const entries = (await entriesFor(sandbox, 'updateCustomer', 20)).map((entry, index) =>
    index % 2 === 0 ? { ...entry, ifMatch: stale } : entry,
  );

  const { results, errors } = await many(layer, 'updateCustomer', entries, 'paymentTerm { code }');

  expect(errors).toBeUndefined();
  expect(codesOf(results)).toEqual(entries.map((_entry, index) => (index % 2 === 0 ? 'STALE_RECORD' : '')));
  for (const { record } of results) expect(record.paymentTerm.code).toMatch(/\w/);
  expect(await shapesOf(sandbox)).toEqual(['20 PATCH', '10 GET', 'GET']);
});

describe('if a batch is lost', () => {
  test.for([
    ['reset before it is carried out', { reset: 'before' }, false],
    ['reset after it is carried out', { reset: 'after' }, true],
    ['carried out and answered without parts', { status: 200, after: true, body: {} }, true],
  ] as const)(
    'it is never sent again: of one that is %s each record decides',
    async ([_how, fault, isCarriedOut], { layer, sandbox }) => {
      const entries = await entriesFor(sandbox, 'updateCustomer', 3);
      const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
      await sandbox.fault({ path: '$batch', ...fault });

      const { results, errors } = await batch(layer, [
        ...entries.map((updateCustomer) => ({ updateCustomer })),
        { deleteEmployee: employee },
      ]);

      expect(errors).toBeUndefined();
      expect(codesOf(results)).toEqual(['', '', '', '']);
      expect(results[3]).toMatchObject({ deletedId: employee?.id, record: null });
      expect((await townsOf(sandbox)).slice(0, 3)).toEqual([0, 1, 2].map((at) => [`ENTRY ${at}`, 2]));
      const single = (await sandbox.calls()).slice(1).filter(({ method }) => /PATCH|DELETE/.test(method));
      expect(single.map(({ headers }) => headers['if-match']).sort()).toEqual(
        isCarriedOut ? [] : [...entries, employee].map((entry) => entry?.ifMatch).sort(),
      );
    },
  );

  test.for([true, false])(
    'creates are sent again only where ids are proven to be kept (%s)',
    async (isProven, { sandbox }) => {
      const layer = await startLayerForTest(sandbox.url);
      if (isProven) await many(layer, 'createEmployee', [{}]);
      const entries = await entriesFor(sandbox, 'createEmployee', 3);
      await sandbox.fault({ path: '$batch', reset: 'before' });

      const { results } = await many(layer, 'createEmployee', entries);

      expect(codesOf(results)).toEqual(Array(3).fill(isProven ? '' : 'OUTCOME_UNKNOWN'));
      const made = (await recordsIn(sandbox, 'employees')).filter(({ city }) => /^ENTRY/.test(String(city)));
      expect(made).toHaveLength(isProven ? 3 : 0);
      expect(await methodsOf(sandbox)).toEqual([
        ...['$batch', 'GET', 'GET', 'GET'],
        ...(isProven ? ['POST', 'POST', 'POST'] : []),
      ]);
    },
  );

  test('no failure is hidden: each entry is told as its record shows', async ({ layer, sandbox }) => {
    const faults = [{}, { ifMatch: stale }, { id: absent }, { patch: { email: 'no address' } }];
    const entries = (await entriesFor(sandbox, 'updateCustomer', 4)).map((entry, index) => ({
      ...entry,
      ...faults[index],
    }));
    await sandbox.fault({ path: '$batch', reset: 'before' });

    const { results } = await many(layer, 'updateCustomer', entries);

    expect(codesOf(results)).toEqual(['', 'OUTCOME_UNKNOWN', 'NOT_FOUND', 'REFUSED']);
    expect((await townsOf(sandbox)).slice(0, 4).map(([, version]) => version)).toEqual([2, 1, 1, 1]);
  });

  test('entries about one record are OUTCOME_UNKNOWN, and none is sent again', async ({ layer, sandbox }) => {
    await layer.query(
      `mutation { createItem(input: { id: "${newId}", displayName: "old" }) { item { id } } }`,
    );
    await sandbox.forgetCalls();
    await sandbox.fault({ path: '$batch', reset: 'before' });

    const { results } = await batch(layer, [
      { deleteItem: { id: newId, ifMatch: '*' } },
      { createItem: { id: newId, displayName: 'new' } },
    ]);

    const unknown = { deletedId: null, record: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] };
    expect(results).toMatchObject([unknown, unknown]);
    expect(await methodsOf(sandbox)).toEqual(['$batch']);
  });
});

test('an entry that the response omits is settled alone; of two responses to one part the first counts', async ({
  layer,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, 'updateCustomer', 3);
  await sandbox.fault({ part: true, path: String(entries[1]?.id), missing: 'before' });
  const { results } = await many(layer, 'updateCustomer', entries);
  const shapes = await shapesOf(sandbox);
  const responses = [
    { id: '1', status: 204, headers: {} },
    { id: '1', status: 400, headers: {}, body: { error: { code: 'Refused', message: 'No.' } } },
    { id: 'of nobody', status: 400, headers: {} },
    { id: 0, status: 204 },
  ];
  await sandbox.fault({ path: '$batch', status: 200, after: true, body: { responses } });
  const again = await many(layer, 'updateCustomer', await entriesFor(sandbox, 'updateCustomer', 3));

  expect(codesOf(results)).toEqual(['', '', '']);
  expect(shapes).toEqual(['3 PATCH', 'GET', 'PATCH']);
  expect(codesOf(again.results)).toEqual(['', '', '']);
  expect(await methodsOf(sandbox)).toEqual(['$batch', 'GET', 'GET', 'GET']);
  expect((await townsOf(sandbox)).slice(0, 3).map(([, version]) => version)).toEqual([3, 3, 3]);
});

test.for([
  [400, 'REFUSED', undefined],
  [429, undefined, 'UPSTREAM_THROTTLED'],
] as const)(
  'a batch that is refused as a whole with %i was not carried out, and is sent once',
  async ([status, userError, code], { layer, sandbox }) => {
    const entries = await entriesFor(sandbox, 'updateCustomer', 3);
    const error = { code: 'Refused', message: 'No.' };
    await sandbox.fault({ path: '$batch', status, body: { error } });

    const { results, errors } = await many(layer, 'updateCustomer', entries);

    expect(results && codesOf(results)).toEqual(userError && Array(3).fill(userError));
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(code && [code]);
    expect(await methodsOf(sandbox)).toEqual(['$batch']);
  },
);

test('an entry that is not attempted is CONFLICT and says so; if none is attempted, the whole is an error', async ({
  layer,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, 'updateCustomer', 3);
  await sandbox.fault({ part: true, path: String(entries[1]?.id), status: 429, body: {} });
  const some = await many(layer, 'updateCustomer', entries);
  await sandbox.fault({ part: true, method: 'PATCH', times: 3, status: 429, body: {} });
  const none = await many(layer, 'updateCustomer', entries);

  expect(codesOf(some.results)).toEqual(['', 'CONFLICT', '']);
  expect(some.results[1].userErrors[0].message).toContain('Nothing was sent or carried out for this entry');
  expect(none.results).toBeUndefined();
  expect(none.errors).toMatchObject([{ path: ['done'], extensions: { code: 'UPSTREAM_THROTTLED' } }]);
  expect(await shapesOf(sandbox)).toEqual(['3 PATCH', '3 PATCH']);
});

test.for([404, 405, 501])(
  'an upstream without batches (%i) gets the writes one by one, in their order, until it throttles',
  async (status, { layer, sandbox }) => {
    const [first, second, ...others] = await entriesFor(sandbox, 'updateCustomer', 4);
    await sandbox.fault({ path: '$batch', status, body: {} });
    const entries = [first, { ...second, ifMatch: stale }, ...others] as Values[];
    await sandbox.fault({ method: 'PATCH', path: String(entries[2]?.id), status: 429, body: {} });

    const { results } = await many(layer, 'updateCustomer', entries);

    expect(codesOf(results)).toEqual(['', 'STALE_RECORD', 'CONFLICT', 'CONFLICT']);
    const calls = (await sandbox.calls()).filter(({ method }) => method !== 'GET');
    expect(calls.map(({ method, body }) => [method, method === 'PATCH' ? body : ''])).toEqual([
      ['POST', ''],
      ...[0, 1, 2].map((place) => ['PATCH', `{"city":"ENTRY ${place}"}`]),
    ]);
  },
);
