import { describe, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import {
  codesOf,
  entriesFor,
  many,
  recordsIn,
  shapesOf,
  toInput,
  type Values,
} from '../../support/cases/every-input.ts';
import { inputTypeOf } from '../../support/input-types.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';

const dialects = [
  ['document', testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' })],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const;

/** Type, field of the payload, what is created, what is changed of it. */
const kinds: readonly (readonly [string, string, Values, Values])[] = [
  ['Customer', 'customer', { displayName: 'Nordlys Interiør' }, { city: 'Tromsø' }],
  ['Item', 'item', { displayName: 'Oak stool' }, { blocked: true }],
  ['Employee', 'employee', { givenName: 'Ada', surname: 'Berg' }, { jobTitle: 'Designer' }],
  ['SalesOrder', 'salesOrder', { customerNumber: 'C10000' }, { shipToCity: 'Bodø' }],
];

const setOf = (field: string) => `/api/v2.0/companies(${sandboxCompanyId})/${field}s`;

/** A mutation by its name, with these fields of the record it is about. */
async function mutate(layer: TestLayer, name: string, record: string, input: Values) {
  const { data, errors } = await layer.query(
    `mutation ($input: ${inputTypeOf(name)}!) { done: ${name}(input: $input) { record: ${record} userErrors { code message path } } }`,
    { input: toInput(input) },
  );
  expect(errors).toBeUndefined();
  return data.done;
}

describe.each(dialects)('in the dialect %s', (dialect, test) => {
  test.for(kinds)(
    'a record of the type %s is created, updated and deleted, with one call each',
    async ([type, field, input, patch], { layer, sandbox }) => {
      const fields = `${field} { id etag number ${Object.keys({ ...input, ...patch }).join(' ')} }`;

      const created = await mutate(layer, `create${type}`, fields, input);
      const { id, etag, number } = created.record;
      const changed = await mutate(layer, `update${type}`, fields, { id, ifMatch: etag, patch });
      const gone = await mutate(layer, `delete${type}`, fields, { id, ifMatch: changed.record.etag });
      const calls = await sandbox.calls();
      const read = await layer.query(`query ($id: UUID!) { company { ${field}(id: $id) { id } } }`, { id });

      expect(created).toMatchObject({ record: input, userErrors: [] });
      expect(changed.userErrors).toEqual([]);
      expect(changed.record).toEqual({
        id,
        number,
        etag: expect.not.stringContaining(etag),
        ...input,
        ...patch,
      });
      expect(gone).toEqual({ record: null, userErrors: [] });
      expect(read.data.company[field]).toBeNull();
      const path = `${setOf(field)}(${id})`;
      expect(calls).toMatchObject([
        { method: 'POST', path: setOf(field) },
        { method: 'PATCH', path, headers: { 'if-match': etag } },
        { method: 'DELETE', path, headers: { 'if-match': changed.record.etag }, body: '' },
      ]);
      expect(calls).toHaveLength(3);
      expect(JSON.parse(calls[1]?.body ?? '')).toEqual(patch);
    },
  );

  test.for(kinds)(
    'an update of the type %s with a stale tag is STALE_RECORD with the record and its tag, and a merged update then succeeds',
    async ([type, field, input, patch], { layer, sandbox }) => {
      const phone = type === 'Item' ? 'displayName2' : 'phoneNumber';
      // The document names no way past a replica.
      await sandbox.lag(dialect === 'dynamics');
      const fields = `${field} { id etag phone: ${phone} }`;
      const { id, etag } = (await mutate(layer, `create${type}`, fields, input)).record;
      await sandbox.send('PATCH', `${setOf(field)}(${id})`, { [phone]: 'by another' }, { 'if-match': '*' });
      await sandbox.forgetCalls();

      const stale = await mutate(layer, `update${type}`, fields, { id, ifMatch: etag, patch });
      const methods = (await sandbox.calls()).map(({ method }) => method);
      const merged = await mutate(layer, `update${type}`, fields, { id, ifMatch: stale.record.etag, patch });

      expect(stale.userErrors).toMatchObject([{ code: 'STALE_RECORD', path: ['input', 'ifMatch'] }]);
      expect(stale.record).toMatchObject({ id, phone: 'by another' });
      expect(methods).toEqual(['PATCH', 'GET']);
      expect(merged).toMatchObject({ record: { phone: 'by another' }, userErrors: [] });
    },
  );

  test('the next mutations and reads of a request see what an earlier mutation created or updated', async ({
    layer,
    sandbox,
  }) => {
    const id = '00c0ffee-0000-4000-8000-00000000000a';
    await sandbox.lag(dialect === 'dynamics');
    const { data, errors } = await layer.query(
      `mutation ($create: CreateCustomerInput!, $order: CreateSalesOrderInput!, $change: UpdateCustomerInput!) {
        made: createCustomer(input: $create) { customer { ...seen } userErrors { code } }
        ordered: createSalesOrder(input: $order) { salesOrder { customer { ...seen } } userErrors { code } }
        changed: updateCustomer(input: $change) { customer { ...seen } userErrors { code } }
      }
      fragment seen on Customer {
        city
        salesOrders { nodes { sellToCity } }
        company { customer(id: "${id}") { city } customers(filter: { number: { eq: "FRAM" } }) { nodes { city } } }
      }`,
      {
        create: { id, number: 'FRAM', displayName: 'Fram', city: 'Oslo' },
        order: { customerId: id },
        change: { id, ifMatch: '*', patch: { city: 'Bergen' } },
      },
    );

    const seen = (city: string, orders: readonly string[]) => ({
      city,
      salesOrders: { nodes: orders.map((sellToCity) => ({ sellToCity })) },
      company: { customer: { city }, customers: { nodes: [{ city }] } },
    });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      made: { customer: seen('Oslo', []), userErrors: [] },
      ordered: { salesOrder: { customer: seen('Oslo', ['Oslo']) }, userErrors: [] },
      changed: { customer: seen('Bergen', ['Oslo']), userErrors: [] },
    });
  });

  test('what a mutation of a request deletes no longer exists for the next mutations and reads', async ({
    layer,
  }) => {
    const id = '00c0ffee-0000-4000-8000-00000000000b';
    const { data, errors } = await layer.query(
      `mutation ($id: UUID!, $input: UpdateCustomerInput!) {
        made: createEmployee(input: { id: $id, givenName: "Ada" }) { employee { company { employee(id: $id) { id } } } }
        gone: deleteEmployee(input: { id: $id, ifMatch: "*" }) { employee { id } userErrors { code } }
        late: updateEmployee(input: { id: $id, ifMatch: "*", patch: { city: "Oslo" } }) { employee { id } userErrors { code } }
        last: updateCustomer(input: $input) { customer { company { employee(id: $id) { id } } } }
      }`,
      { id, input: { id: sandboxExamples.customerId, ifMatch: '*', patch: { city: 'Moss' } } },
    );

    expect(errors).toBeUndefined();
    expect(data).toEqual({
      made: { employee: { company: { employee: { id } } } },
      gone: { employee: null, userErrors: [] },
      late: { employee: null, userErrors: [{ code: 'NOT_FOUND' }] },
      last: { customer: { company: { employee: null } } },
    });
  });

  test('many orders are created, and many customers updated, in one call each, with lines, and stale tags reported as in single writes', async ({
    layer,
    sandbox,
  }) => {
    const [first, second] = await entriesFor(sandbox, 'updateCustomer', 2);
    const line = { itemNo: '1004', quantity: '1.5', unitPrice: '12345678901234567890.5' };
    const order = { customerNumber: 'C10000', documentLines: [line] };

    const lines = 'documentLines { itemNo quantity unitPrice }';
    const made = await many(layer, 'createSalesOrder', [order, order], lines);
    const changed = await many(layer, 'updateCustomer', [{ ...first, ifMatch: 'W/"old"' }, { ...second }]);

    const shown = { record: { documentLines: [line] }, userErrors: [] };
    expect(made.results).toMatchObject([shown, shown]);
    expect(codesOf(changed.results)).toEqual(['STALE_RECORD', '']);
    expect(changed.results[0].record.text).not.toBe('ENTRY 0');
    expect(await shapesOf(sandbox)).toEqual(['2 POST', '2 PATCH', 'GET']);
  });

  test('of two entries for one record the second is applied after the first, or is stale', async ({
    layer,
    sandbox,
  }) => {
    const [{ id, ifMatch } = {}] = await entriesFor(sandbox, 'updateCustomer', 1);
    const entry = (tag: unknown, city: string) => ({ id, ifMatch: tag, patch: { city } });

    const tagged = await many(layer, 'updateCustomer', [entry(ifMatch, 'Oslo'), entry(ifMatch, 'Moss')]);
    const starred = await many(layer, 'updateCustomer', [entry('*', 'Bodø'), entry('*', 'Lund')]);

    expect(codesOf(tagged.results)).toEqual(['', 'STALE_RECORD']);
    expect(tagged.results).toMatchObject([{ record: { text: 'Oslo' } }, { record: { text: 'Oslo' } }]);
    expect(starred.results).toMatchObject([{ record: { text: 'Bodø' } }, { record: { text: 'Lund' } }]);
  });

  test('entries of several companies go in one batch, each to its own', async ({ layer, sandbox }) => {
    const found = await layer.query(
      '{ companies { nodes { customers(first: 1) { nodes { id companyId } } } } }',
    );
    const entries = found.data.companies.nodes.map(
      ({ customers }: { customers: { nodes: readonly Values[] } }, index: number) => ({
        ...customers.nodes[0],
        ifMatch: '*',
        patch: { city: `Town ${index}` },
      }),
    );
    await sandbox.forgetCalls();

    const { results } = await many(layer, 'updateCustomer', entries, 'companyId company { id }');

    expect(results).toMatchObject(
      entries.map(({ id, companyId, patch }: Values & { readonly patch: Values }) => ({
        record: { id, companyId, company: { id: companyId }, text: patch.city },
      })),
    );
    expect((await sandbox.calls()).map(({ parts }) => parts?.map(({ path }) => path))).toEqual([
      entries.map(({ id, companyId }: Values) => `/api/v2.0/companies(${companyId})/customers(${id})`),
    ]);
  });
});

const [[, inDocument]] = dialects;

inDocument(
  'one client-supplied id for two orders of a batch creates one order, and the other is ALREADY_EXISTS with it',
  async ({ layer, sandbox }) => {
    const id = '00c0ffee-0000-4000-8000-00000000000c';
    const order = (text: string) => ({ id, customerNumber: 'C10000', externalDocumentNumber: text });

    const { results } = await many(layer, 'createSalesOrder', [order('FIRST'), order('SECOND')]);

    const record = { id, text: 'FIRST' };
    expect(results).toMatchObject([
      { record, userErrors: [] },
      { record, userErrors: [{ code: 'ALREADY_EXISTS' }] },
    ]);
    expect((await recordsIn(sandbox, 'salesOrders')).slice(240)).toMatchObject([
      { externalDocumentNumber: 'FIRST' },
    ]);
  },
);

inDocument(
  'updates of many records are visible below their results and to the next mutation of the request',
  async ({ layer, sandbox }) => {
    const entries = await entriesFor(sandbox, 'updateCustomer', 6);
    const seen = 'company { customers(filter: { city: { startsWith: "ENTRY" } }) { totalCount } }';

    const { data } = await layer.query(
      `mutation ($input: BatchInput!, $id: UUID!) {
        many: batch(input: $input) { results { record { ... on Customer { ${seen} } } } }
        next: updateCustomer(input: { id: $id, ifMatch: "*", patch: { city: "Last" } }) { customer { ${seen} } }
      }`,
      { input: { entries: entries.map((entry) => ({ updateCustomer: entry })) }, id: entries[0]?.id },
    );

    const seenBy = (totalCount: number) => ({ company: { customers: { totalCount } } });
    expect(data).toEqual({
      many: { results: entries.map(() => ({ record: seenBy(6) })) },
      next: { customer: seenBy(5) },
    });
    expect(await shapesOf(sandbox)).toEqual(['6 PATCH', 'GET', 'PATCH', 'GET']);
  },
);
