import { describe, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { toInput, type Values } from '../../support/cases/every-input.ts';
import { inputTypeOf } from '../../support/input-types.ts';
import { startLayerForTest, type TestLayer, testWith } from '../../support/layer.ts';

const dialects = [
  ['document', testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' })],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const;

/** Type, field of the payload, what is created, what is changed of it. */
const kinds: readonly (readonly [string, string, Values, Values])[] = [
  ['Customer', 'customer', { displayName: 'Nordlys Interiør' }, { city: 'Tromsø' }],
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
      // The document names no way past a replica.
      await sandbox.lag(dialect === 'dynamics');
      const fields = `${field} { id etag phoneNumber }`;
      const { id, etag } = (await mutate(layer, `create${type}`, fields, input)).record;
      await sandbox.send(
        'PATCH',
        `${setOf(field)}(${id})`,
        { phoneNumber: 'by another' },
        { 'if-match': '*' },
      );
      await sandbox.forgetCalls();

      const stale = await mutate(layer, `update${type}`, fields, { id, ifMatch: etag, patch });
      const methods = (await sandbox.calls()).map(({ method }) => method);
      const merged = await mutate(layer, `update${type}`, fields, { id, ifMatch: stale.record.etag, patch });

      expect(stale.userErrors).toMatchObject([{ code: 'STALE_RECORD', path: ['input', 'ifMatch'] }]);
      expect(stale.record).toMatchObject({ id, phoneNumber: 'by another' });
      expect(methods).toEqual(['PATCH', 'GET']);
      expect(merged).toMatchObject({ record: { phoneNumber: 'by another' }, userErrors: [] });
    },
  );

  test('a delete returns the ids of the record that is gone, and a refused one returns none', async ({
    layer,
  }) => {
    const { data } = await layer.query('{ company { employees(first: 1) { nodes { id nodeId } } } }');
    const [{ id, nodeId }] = data.company.employees.nodes;
    const removeBy = async (ifMatch: string) => {
      const answer = await layer.query(
        `mutation ($input: RecordVersionInput!) {
          deleteEmployee(input: $input) { deletedId deletedNodeId employee { nodeId } }
        }`,
        { input: { companyId: sandboxCompanyId.toUpperCase(), id: id.toUpperCase(), ifMatch } },
      );
      return answer.data.deleteEmployee;
    };

    expect(await removeBy('W/"stale"')).toEqual({
      deletedId: null,
      deletedNodeId: null,
      employee: { nodeId },
    });
    expect(await removeBy('*')).toEqual({ deletedId: id, deletedNodeId: nodeId, employee: null });
  });

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
});

const [[, inDocument]] = dialects;
const { customerId: id } = sandboxExamples;
const read = 'query ($id: UUID!) { company { customer(id: $id) { etag city } } }';
const update = `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) {
  customer { id etag city } userErrors { code }
} }`;

inDocument.for([202, 204] as const)(
  'an update answered %s that the record does not show is OUTCOME_UNKNOWN',
  async (status, { layer, sandbox }) => {
    const etag = (await layer.query(read, { id })).data.company.customer.etag;
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'PATCH', status, body: '', times: 2 });

    const { data } = await layer.query(update, {
      input: { id, ifMatch: etag, patch: { city: 'Elsewhere' } },
    });

    expect(data.updateCustomer).toMatchObject({
      customer: { id, etag },
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    });
    const sent = (await sandbox.calls()).filter(({ method }) => method === 'PATCH');
    expect(sent).toHaveLength(status === 202 ? 2 : 1);
  },
);

inDocument('an update may take longer than a read', async ({ sandbox }) => {
  const layer = await startLayerForTest(sandbox.url, { REQUEST_TIMEOUT_MS: '100', WRITE_TIMEOUT_MS: '5000' });
  await sandbox.fault({ method: 'PATCH', delayMs: 400 });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });

  expect(data.updateCustomer).toMatchObject({ customer: { city: 'Oslo' }, userErrors: [] });
});

inDocument(
  'the record beside a refused update is read anew, not taken from an earlier update of the request',
  async ({ layer, sandbox }) => {
    await sandbox.fault({ method: 'PATCH', delayMs: 0 });
    await sandbox.fault({ method: 'PATCH', reset: 'after' });

    const { data } = await layer.query(
      `mutation ($a: UpdateCustomerInput!, $b: UpdateCustomerInput!) {
      a: updateCustomer(input: $a) { customer { company { customer(id: "${id}") { city } } } }
      b: updateCustomer(input: $b) { customer { city } }
    }`,
      {
        a: { id, ifMatch: '*', patch: { city: 'First' } },
        b: { id, ifMatch: '*', patch: { city: 'Second' } },
      },
    );

    expect(data.a.customer.company.customer.city).toBe('First');
    expect(data.b.customer.city).toBe('Second');
  },
);

inDocument(
  'after a write that is throttled the next mutation of the request still runs',
  async ({ layer, sandbox }) => {
    await sandbox.fault({ method: 'PATCH', status: 429, headers: { 'retry-after': '7' }, body: {} });
    const { data, errors } = await layer.query(
      `mutation ($input: UpdateCustomerInput!) {
        first: updateCustomer(input: $input) { userErrors { code } }
        second: updateCustomer(input: $input) { customer { city } userErrors { code } }
      }`,
      { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } },
    );

    expect(data).toEqual({ first: null, second: { customer: { city: 'Oslo' }, userErrors: [] } });
    expect(errors).toMatchObject([
      { path: ['first'], extensions: { code: 'UPSTREAM_THROTTLED', retryAfterSeconds: 7 } },
    ]);
  },
);
