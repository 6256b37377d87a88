import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import {
  codesOf,
  entriesFor,
  type ManyName,
  manyMutations,
  storedIn,
  toEntry,
  typeOf,
  type Values,
} from '../../support/cases/every-input.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';

const dialects = [
  ['document', testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' })],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const;
const [[, test]] = dialects;

const inCompany = `/api/v2.0/companies(${sandboxCompanyId})`;
const newId = '00c0ffee-0000-4000-8000-00000000000b';
const manyNames = Object.keys(manyMutations) as ManyName[];

const shown = `record {
  __typename nodeId
  ... on Customer { id etag displayName city }
  ... on Item { id etag displayName2 }
  ... on SalesOrder { id etag externalDocumentNumber customer { displayName } documentLines { itemNo } }
  ... on SalesQuote { id etag externalDocumentNumber }
  ... on Employee { id etag city }
  ${manyNames.map((name) => `... on ${typeOf(name)} { id etag ${manyMutations[name][2]} }`).join(' ')}
}`;

async function batch(layer: TestLayer, entries: readonly Values[]) {
  const { status, data, errors } = await layer.query(
    `mutation ($input: BatchInput!) { batch(input: $input) {
      results { ${shown} deletedId userErrors { code message path upstream { message } } }
    } }`,
    { input: { entries } },
  );
  return { status, results: data?.batch?.results, errors };
}

describe.each(dialects)('in the dialect %s', (_dialect, test) => {
  test('changes of several types are one upstream call, with their parts and results in the order of the entries', async ({
    layer,
    sandbox,
  }) => {
    const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
    const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);

    const { results, errors } = await batch(layer, [
      { createCustomer: { id: newId, displayName: 'Brindle Trading' } },
      {
        createSalesOrder: {
          customerId: newId,
          documentLines: [{ lineType: 'Item', itemNo: '1004' }],
        },
      },
      { updateCustomer: { ...customer, ifMatch: 'W/"old"', patch: { city: 'Oslo' } } },
      { deleteEmployee: employee },
      { updateCustomer: customer },
    ]);

    expect(errors).toBeUndefined();
    const done = { deletedId: null, userErrors: [] };
    expect(results).toMatchObject([
      { ...done, record: { __typename: 'Customer', id: newId, displayName: 'Brindle Trading' } },
      {
        ...done,
        record: {
          __typename: 'SalesOrder',
          customer: { displayName: 'Brindle Trading' },
          documentLines: [{ itemNo: '1004' }],
        },
      },
      {
        record: { id: customer?.id, city: 'ENTRY 0' },
        userErrors: [{ code: 'STALE_RECORD', path: ['input', 'entries', '2', 'updateCustomer', 'ifMatch'] }],
      },
      { deletedId: employee?.id, record: null, userErrors: [] },
      { ...done, record: { __typename: 'Customer', id: customer?.id, city: 'ENTRY 0' } },
    ]);
    const [first, ...others] = await sandbox.calls();
    expect(first?.path).toBe('/api/v2.0/$batch');
    expect(first?.parts?.map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual([
      `POST ${inCompany}/customers`,
      `POST ${inCompany}/salesOrders`,
      `PATCH ${inCompany}/customers(${customer?.id})`,
      `DELETE ${inCompany}/employees(${employee?.id})`,
      `PATCH ${inCompany}/customers(${customer?.id})`,
    ]);
    expect(new Set(others.map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});

test('every change of one record can be an entry, and returns the record of its type', async ({
  layer,
  sandbox,
}) => {
  const given = await Promise.all(
    manyNames.map(async (name) => [name, (await entriesFor(sandbox, name, 1))[0] as Values] as const),
  );
  await sandbox.forgetCalls();

  const { results, errors } = await batch(
    layer,
    given.map(([name, input]) => toEntry(name, input)),
  );

  expect(errors).toBeUndefined();
  expect(results).toMatchObject(
    given.map(([name, { id }]) => ({
      userErrors: [],
      ...(name.startsWith('delete')
        ? { record: null, deletedId: id }
        : {
            record: {
              __typename: typeOf(name),
              [manyMutations[name][2]]: 'ENTRY 0',
              nodeId: expect.stringMatching(/./),
            },
            deletedId: null,
          }),
    })),
  );
  expect((await sandbox.calls())[0]?.parts).toHaveLength(manyNames.length);
});

test('failing entries do not affect the others, and invalid ones are not sent', async ({
  layer,
  sandbox,
}) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
  const [item] = await entriesFor(sandbox, 'updateItem', 1);

  const { results } = await batch(layer, [
    { updateItem: { ...item, patch: {} } },
    { createEmployee: { city: 'Oslo', country: 'longer than ten' } },
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
    ['input', 'entries', '0', 'updateItem', 'patch'],
    ['input', 'entries', '1', 'createEmployee', 'country'],
    ['input', 'entries', '2', 'createSalesOrder', 'documentLines', '0', 'quantity'],
    undefined,
  ]);
  const [first] = await sandbox.calls();
  expect(first?.parts?.map(({ method, status }) => [method, status])).toEqual([
    ['POST', 400],
    ['PATCH', 200],
  ]);
});

test.for([
  ['two changes', { deleteItem: { id: newId, ifMatch: '*' }, deleteCustomer: { id: newId, ifMatch: '*' } }],
  ['no change', {}],
  ['null for a change', { createItem: null }],
] as const)(
  'an entry with %s is rejected before any call, in the document and in a variable',
  async ([_what, entry], { layer, sandbox }) => {
    const literal = JSON.stringify(entry).replace(/"(\w+)":/g, '$1:');
    const written = await layer.query(
      `mutation { batch(input: { entries: [${literal}] }) { results { deletedId } } }`,
    );
    const given = await batch(layer, [entry]);

    expect(written).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
    });
    expect(given).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(await sandbox.calls()).toEqual([]);
  },
);

test.for([0, 101])(
  'a batch of %i entries is BAD_USER_INPUT and nothing is sent',
  async (count, { layer, sandbox }) => {
    const { results, errors } = await batch(layer, Array(count).fill({ createItem: {} }));

    expect(results).toBeUndefined();
    expect(errors).toMatchObject([{ path: ['batch'], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(await sandbox.calls()).toEqual([]);
  },
);

test.for(['before', 'after'] as const)(
  'a batch whose connection is reset %s it is carried out is settled by reading each record, and nothing is done twice',
  async (reset, { layer, sandbox }) => {
    const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
    const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
    await sandbox.fault({ path: '$batch', reset });

    const { results } = await batch(layer, [{ updateCustomer: customer }, { deleteEmployee: employee }]);

    expect(results).toMatchObject([
      { record: { city: 'ENTRY 0' }, userErrors: [] },
      { deletedId: employee?.id, userErrors: [] },
    ]);
    const [stored] = await storedIn(sandbox, 'customers');
    expect(stored?.version).toBe(2);
    const again = (await sandbox.calls()).slice(1).map(({ method }) => method);
    expect(again.filter((method) => method !== 'GET').sort()).toEqual(
      reset === 'before' ? ['DELETE', 'PATCH'] : [],
    );
  },
);
