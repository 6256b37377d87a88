import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import {
  codesOf,
  entriesFor,
  type ManyName,
  many,
  manyMutations,
  shapesOf,
  storedIn,
  type Values,
  verbOf,
} from '../../support/cases/every-input.ts';
import { test } from '../../support/layer.ts';

const names = ['createSalesOrder', 'updateItem', 'deleteCustomer'] as const;
const inCompany = `/api/v2.0/companies(${sandboxCompanyId})`;
const absent = '00c0ffee-0000-4000-8000-000000000001';

/** The method of each part, and the status that the sandbox answers it with. */
const sentAs = { create: ['POST', 201], update: ['PATCH', 200], delete: ['DELETE', 204] } as const;

/** The result of an entry that succeeds. */
const doneAs = (name: ManyName, { id }: Values, index: number) =>
  verbOf(name) === 'delete'
    ? { deletedId: id, record: null, userErrors: [] }
    : { record: { text: `ENTRY ${index}` }, userErrors: [] };

test.for(names.flatMap((name) => [2, 100].map((count) => [name, count] as const)))(
  'a batch of %s with %i entries is one upstream call with a part for each, and the results are in the order of the entries',
  async ([name, count], { layer, sandbox }) => {
    const [set] = manyMutations[name];
    const entries = await entriesFor(sandbox, name, count);

    const { results, errors } = await many(layer, name, entries);

    expect(errors).toBeUndefined();
    expect(results).toMatchObject(entries.map((entry, index) => doneAs(name, entry, index)));
    expect(results).toHaveLength(count);
    const [batch, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(batch).toMatchObject({
      method: 'POST',
      path: '/api/v2.0/$batch',
      headers: { prefer: 'odata.continue-on-error', 'content-type': 'application/json' },
    });
    const [method, status] = sentAs[verbOf(name)];
    const pathOf = ({ id }: Values) => `${inCompany}/${set}${id === undefined ? '' : `(${id})`}`;
    expect(batch?.parts).toEqual(entries.map((entry) => ({ method, path: pathOf(entry), status })));
  },
);

test.for(names)('a batch of one %s is sent by itself', async (name, { layer, sandbox }) => {
  const [entry = {}] = await entriesFor(sandbox, name, 1);

  const { results } = await many(layer, name, [entry]);

  expect(results).toMatchObject([doneAs(name, entry, 0)]);
  expect(await shapesOf(sandbox)).toEqual([sentAs[verbOf(name)][0]]);
});

test('every part carries the tag of its entry, the fields of its patch and all digits', async ({
  layer,
  sandbox,
}) => {
  const [first, second] = await entriesFor(sandbox, 'updateItem', 2);
  const patches = [{ unitPrice: '4000.50', blocked: true }, { unitCost: '1234567890123456.789' }];

  const { results } = await many(
    layer,
    'updateItem',
    [first, second].map((entry, index) => ({ ...entry, patch: patches[index] })),
    'unitPrice unitCost blocked',
  );
  const lines = [{ lineType: 'Item', itemNo: '1004', quantity: '0.10', unitPrice: '12345678901234567890.5' }];
  const made = await many(
    layer,
    'createSalesOrder',
    [{ documentLines: lines }, {}].map((more) => ({ customerNumber: 'C10000', ...more })),
    'documentLines { unitPrice }',
  );

  expect(results).toMatchObject([
    { record: { unitPrice: '4000.5', blocked: true } },
    { record: { unitCost: '1234567890123456.789' } },
  ]);
  expect(made.results[0].record.documentLines).toEqual([{ unitPrice: '12345678901234567890.5' }]);
  const [batch, orders] = await sandbox.calls();
  const { requests } = JSON.parse(batch?.body ?? '');
  expect(requests).toMatchObject([
    { id: '0', method: 'PATCH', headers: { 'if-match': first?.ifMatch, 'content-type': 'application/json' } },
    { id: '1', method: 'PATCH', headers: { 'if-match': second?.ifMatch } },
  ]);
  expect(batch?.body).toContain('"body":{"blocked":true,"unitPrice":4000.50}');
  expect(batch?.body).toContain('"body":{"unitCost":1234567890123456.789}');
  expect(orders?.body).toContain('"quantity":0.10,"unitPrice":12345678901234567890.5');
});

test('failing entries do not affect the others, and their records are read again together', async ({
  layer,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, 'updateCustomer', 60);
  const stale = entries.map((entry, index) => (index % 2 === 0 ? { ...entry, ifMatch: 'W/"old"' } : entry));
  const refused = stale.map((entry, index) =>
    index === 5 ? { ...entry, patch: { email: 'no address' } } : entry,
  );
  const mixed = refused.map((entry, index) => (index === 7 ? { ...entry, id: absent } : entry));
  const before = await storedIn(sandbox, 'customers');
  await sandbox.forgetCalls();

  const { results } = await many(layer, 'updateCustomer', mixed);

  const code = (index: number) =>
    index % 2 === 0 ? 'STALE_RECORD' : ({ 5: 'REFUSED', 7: 'NOT_FOUND' }[index] ?? '');
  expect(codesOf(results)).toEqual(entries.map((_entry, index) => code(index)));
  expect(results[4].userErrors[0].path).toEqual(['input', 'entries', '4', 'updateCustomer', 'ifMatch']);
  expect(results[5].userErrors[0].upstream.message).toContain('no address');
  expect(results[7].record).toBeNull();
  const after = await storedIn(sandbox, 'customers');
  for (const [index, { id, etag, values }] of after.slice(0, 60).entries()) {
    if (index !== 7) expect(results[index].record).toEqual({ id, etag, text: values.city });
    expect(values.city).toBe(code(index) === '' ? `ENTRY ${index}` : before[index]?.values.city);
  }
  expect(await shapesOf(sandbox)).toEqual(['60 PATCH', '32 GET']);
});

test.for([
  ['updateCustomer', [['ifMatch'], ['patch'], ['patch', 'type'], ['patch', 'creditLimit']]],
  ['createSalesOrder', [['documentLines', '1', 'quantity'], ['discountAmount']]],
] as const)(
  'invalid entries %s are INVALID_INPUT with their paths and are not sent; the others are',
  async ([name, paths], { layer, sandbox }) => {
    const faults: readonly Values[] =
      name === 'createSalesOrder'
        ? [
            {
              documentLines: [
                { lineType: 'Item', itemNo: '1000' },
                { lineType: 'Item', itemNo: '1000', quantity: null },
              ],
            },
            { discountAmount: null },
          ]
        : [{ ifMatch: 'no tag' }, { patch: {} }, { patch: { type: null } }, { patch: { creditLimit: null } }];
    const entries = (await entriesFor(sandbox, name, faults.length + 2)).map((entry, index) => ({
      ...entry,
      ...faults[index - 1],
    }));

    const { results } = await many(layer, name, entries);
    const alone = await many(layer, name, entries.slice(0, -1));
    const none = await many(layer, name, entries.slice(1, -1));

    const expected = paths.map((path, index) => ({
      record: null,
      userErrors: [
        {
          code: 'INVALID_INPUT',
          path: ['input', 'entries', String(index + 1), name, ...path],
          upstream: null,
        },
      ],
    }));
    expect(results.slice(1, -1)).toMatchObject(expected);
    expect([results[0], results.at(-1)]).toMatchObject([{ userErrors: [] }, { userErrors: [] }]);
    expect(codesOf(none.results)).toEqual(faults.map(() => 'INVALID_INPUT'));
    expect(alone.results).toHaveLength(faults.length + 1);
    const sent = name === 'createSalesOrder' ? ['2 POST', 'POST'] : ['2 PATCH', 'PATCH', 'GET'];
    expect(await shapesOf(sandbox)).toEqual(sent);
  },
);

const word = expect.stringMatching(/\w/);
const line = { item: { displayName: word } };

test.for([
  [
    'updateCustomer',
    ['50 PATCH', '52 GET'],
    'paymentTerm { code } salesOrders(first: 2) { nodes { number } } company { name }',
    { paymentTerm: { code: word }, salesOrders: { nodes: expect.any(Array) }, company: { name: word } },
  ],
  [
    'updateItem',
    ['50 PATCH', 'GET'],
    'baseUnitOfMeasure { unitName }',
    { baseUnitOfMeasure: { unitName: word } },
  ],
  [
    'createSalesOrder',
    ['50 POST', 'GET', 'GET'],
    'customer { city } documentLines { item { displayName } }',
    { customer: { city: word }, documentLines: [line, line] },
  ],
] as const)(
  'fields selected below the results of a batch of %s cost a bounded number of calls, %j',
  async ([name, shapes, more, expected], { layer, sandbox }) => {
    const entries = (await entriesFor(sandbox, name, 50)).map((entry) =>
      'id' in entry
        ? entry
        : {
            ...entry,
            documentLines: [
              { lineType: 'Item', itemNo: '1004' },
              { lineType: 'Item', itemNo: '1000' },
            ],
          },
    );

    const { results, errors } = await many(layer, name, entries, more);

    expect(errors).toBeUndefined();
    expect(results).toMatchObject(entries.map(() => ({ record: expected, userErrors: [] })));
    expect(await shapesOf(sandbox)).toEqual(shapes);
  },
);

test('an entry that is not attempted is CONFLICT and says that nothing was carried out; if none is attempted, the whole is an error', async ({
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
  expect((await storedIn(sandbox, 'customers')).slice(0, 3).map(({ version }) => version)).toEqual([2, 1, 2]);
  expect(await shapesOf(sandbox)).toEqual(['3 PATCH', '3 PATCH']);
});

test.for([404, 405, 501])(
  'an upstream without batches (%i) gets the writes one by one, in their order',
  async (status, { layer, sandbox }) => {
    const [first, second, ...others] = await entriesFor(sandbox, 'updateCustomer', 4);
    await sandbox.fault({ path: '$batch', status, body: {} });

    const { results } = await many(layer, 'updateCustomer', [
      first,
      { ...second, ifMatch: 'W/"old"' },
      ...others,
    ] as Values[]);

    expect(codesOf(results)).toEqual(['', 'STALE_RECORD', '', '']);
    const [batch, ...calls] = await sandbox.calls();
    expect(batch).toMatchObject({ method: 'POST', status });
    expect(calls.map(({ method, body }) => [method, body])).toEqual([
      ...[0, 1, 2, 3].map((place) => ['PATCH', `{"city":"ENTRY ${place}"}`]),
      ['GET', ''],
    ]);
  },
);
