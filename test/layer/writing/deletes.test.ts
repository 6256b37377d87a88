import { describe, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { recordsIn } from '../../support/cases/every-input.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const inDocument = testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' });
const dialects = [
  ['document', inDocument],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const;

const { customerId, itemId } = sandboxExamples;
const absent = '00c0ffee-0000-4000-8000-000000000001';
const pathOf = (id: string) => `/api/v2.0/companies(${sandboxCompanyId})/employees(${id})`;

/** Deletes a record of a type, which is the field of the payload, too. */
async function remove(layer: TestLayer, type: string, input: Readonly<Record<string, unknown>>) {
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const { data, errors } = await layer.query(
    `mutation ($input: RecordVersionInput!) { done: delete${type}(input: $input) {
      record: ${field} { id etag } userErrors { code message path upstream { message } }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.done;
}

async function anEmployee(sandbox: TestSandbox) {
  const [employee] = await recordsIn(sandbox, 'employees');
  const id = String(employee?.id);
  const read = (await (await sandbox.send('GET', pathOf(id))).json()) as Record<string, string>;
  await sandbox.forgetCalls();
  return { id, etag: read['@odata.etag'] };
}

const methodsOf = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);
const isThere = async (sandbox: TestSandbox, id: string) =>
  (await recordsIn(sandbox, 'employees')).some((one) => one.id === id);

describe.each(dialects)('in the dialect %s', (_dialect, test) => {
  test('a delete always carries a tag, the given one or *', async ({ layer, sandbox }) => {
    const { id, etag } = await anEmployee(sandbox);
    const another = String((await recordsIn(sandbox, 'employees'))[1]?.id);

    await remove(layer, 'Employee', { id, ifMatch: etag });
    await remove(layer, 'Employee', { id: another, ifMatch: '*' });

    expect((await sandbox.calls()).map(({ method, headers }) => [method, headers['if-match']])).toEqual([
      ['DELETE', etag],
      ['DELETE', '*'],
    ]);
    expect(await isThere(sandbox, id)).toBe(false);
    expect(await isThere(sandbox, another)).toBe(false);
  });

  test('a delete returns the ids of the record that is gone, and a refused one returns none', async ({
    layer,
    sandbox,
  }) => {
    const { id } = await anEmployee(sandbox);
    const read = await layer.query('query ($id: UUID!) { company { employee(id: $id) { nodeId } } }', { id });
    const removeBy = async (ifMatch: string) => {
      const { data } = await layer.query(
        `mutation ($input: RecordVersionInput!) {
          deleteEmployee(input: $input) { deletedId deletedNodeId employee { nodeId } }
        }`,
        { input: { companyId: sandboxCompanyId.toUpperCase(), id: id.toUpperCase(), ifMatch } },
      );
      return data.deleteEmployee;
    };
    const { nodeId } = read.data.company.employee;

    expect(await removeBy('W/"stale"')).toEqual({
      deletedId: null,
      deletedNodeId: null,
      employee: { nodeId },
    });
    expect(await removeBy('*')).toEqual({ deletedId: id, deletedNodeId: nodeId, employee: null });
  });

  test('a delete with a stale tag deletes nothing and returns the record with the current tag', async ({
    layer,
    sandbox,
  }) => {
    const { id, etag } = await anEmployee(sandbox);
    await sandbox.send('PATCH', pathOf(id), { city: 'Oslo' }, { 'if-match': '*' });
    await sandbox.forgetCalls();

    const stale = await remove(layer, 'Employee', { id, ifMatch: etag });
    const methods = await methodsOf(sandbox);
    const stood = await isThere(sandbox, id);
    const again = await remove(layer, 'Employee', { id, ifMatch: stale.record.etag });

    expect(stale.userErrors).toMatchObject([{ code: 'STALE_RECORD', path: ['input', 'ifMatch'] }]);
    expect(methods).toEqual(['DELETE', 'GET']);
    expect(stood).toBe(true);
    expect(again).toEqual({ record: null, userErrors: [] });
    expect(await isThere(sandbox, id)).toBe(false);
  });

  test.for([
    ['Customer', customerId, 'Customer C10000'],
    ['Item', itemId, 'Item 1000'],
  ] as const)(
    "a delete of the type %s that other documents prevent is refused with the upstream's message, and the record",
    async ([type, id, words], { layer, sandbox }) => {
      const { record, userErrors } = await remove(layer, type, { id, ifMatch: '*' });

      expect(record).toMatchObject({ id, etag: expect.any(String) });
      expect(userErrors).toMatchObject([
        { code: 'REFUSED', upstream: { message: expect.stringContaining(words) } },
      ]);
      expect(await methodsOf(sandbox)).toEqual(['DELETE', 'GET']);
    },
  );

  test('an order is deleted with its lines: records that they named can be deleted after it', async ({
    layer,
  }) => {
    const { data } = await layer.query(
      `mutation {
        createItem(input: { number: "LAMP", displayName: "Lamp" }) { item { id } }
        createSalesOrder(input: { customerNumber: "C10000", documentLines: [{ lineType: "Item", itemNo: "LAMP" }] }) { salesOrder { id } }
      }`,
    );
    const item = { id: data.createItem.item.id, ifMatch: '*' };

    const before = await remove(layer, 'Item', item);
    await remove(layer, 'SalesOrder', { id: data.createSalesOrder.salesOrder.id, ifMatch: '*' });

    expect(before.userErrors).toMatchObject([{ code: 'REFUSED' }]);
    expect(await remove(layer, 'Item', item)).toEqual({ record: null, userErrors: [] });
  });

  test.for(['Customer', 'Item', 'SalesOrder', 'Employee'] as const)(
    'a delete of a record that does not exist, of the type %s, is NOT_FOUND after one DELETE and one read',
    async (type, { layer, sandbox }) => {
      const { record, userErrors } = await remove(layer, type, { id: absent, ifMatch: '*' });

      expect(record).toBeNull();
      expect(userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
      // At the record, or, where the word is also for unknown segments, at the set.
      expect(await methodsOf(sandbox)).toEqual(['DELETE', 'GET']);
    },
  );
});

inDocument(
  'a delete with an invalid tag is INVALID_INPUT and nothing is sent',
  async ({ layer, sandbox }) => {
    for (const ifMatch of ['', 'abc', '"a"\r\nx: y', '"a", "b"']) {
      const { record, userErrors } = await remove(layer, 'Employee', { id: absent, ifMatch });

      expect(record).toBeNull();
      expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['input', 'ifMatch'] }]);
    }
    expect(await sandbox.calls()).toEqual([]);
  },
);

inDocument.for([
  [403, 'NOT_ALLOWED', ['DELETE']],
  [409, 'CONFLICT', ['DELETE', 'GET']],
  [400, 'REFUSED', ['DELETE', 'GET']],
] as const)(
  'a delete answered %s is %s and is not repeated',
  async ([status, code, methods], { layer, sandbox }) => {
    const { id, etag } = await anEmployee(sandbox);
    await sandbox.fault({ method: 'DELETE', status, body: {} });

    const { record, userErrors } = await remove(layer, 'Employee', { id, ifMatch: etag });

    expect(userErrors).toMatchObject([{ code }]);
    expect(record).toEqual(methods.length === 2 ? { id, etag } : null);
    expect(await methodsOf(sandbox)).toEqual(methods);
  },
);

inDocument.for([
  [401, 'UNAUTHENTICATED'],
  [429, 'UPSTREAM_THROTTLED'],
] as const)(
  'a delete answered %s is the error %s, deletes nothing, and the mutation after it still runs',
  async ([status, code], { layer, sandbox }) => {
    const { id, etag } = await anEmployee(sandbox);
    await sandbox.fault({ method: 'DELETE', status, body: {} });

    const { data, errors } = await layer.query(
      `mutation ($input: RecordVersionInput!) {
      first: deleteEmployee(input: $input) { userErrors { code } }
      second: deleteEmployee(input: $input) { employee { id } userErrors { code } }
    }`,
      { input: { id, ifMatch: etag } },
    );

    expect(data).toEqual({ first: null, second: { employee: null, userErrors: [] } });
    expect(errors).toMatchObject([{ path: ['first'], extensions: { code, upstream: 'business' } }]);
  },
);

inDocument.for([
  ['reset after it was carried out', { reset: 'after' }, ['DELETE', 'GET', 'GET'], []],
  ['answered 500 after it was carried out', { status: 500, after: true }, ['DELETE', 'GET', 'GET'], []],
  ['reset before it was carried out', { reset: 'before' }, ['DELETE', 'GET', 'DELETE'], []],
  ['answered 504', { status: 504 }, ['DELETE', 'GET', 'DELETE'], []],
  ['lost twice', { reset: 'before', times: 2 }, ['DELETE', 'GET', 'DELETE', 'GET'], ['OUTCOME_UNKNOWN']],
] as const)(
  'a delete that is %s ends as the record shows, and is sent at most twice',
  async ([_how, fault, methods, codes], { layer, sandbox }) => {
    const { id, etag } = await anEmployee(sandbox);
    await sandbox.fault({ method: 'DELETE', ...fault });

    const { record, userErrors } = await remove(layer, 'Employee', { id, ifMatch: etag });

    expect(userErrors.map(({ code }: { code: string }) => code)).toEqual(codes);
    expect(record).toEqual(codes.length > 0 ? { id, etag } : null);
    expect(await isThere(sandbox, id)).toBe(codes.length > 0);
    const calls = await sandbox.calls();
    expect(calls.map(({ method }) => method)).toEqual(methods);
    for (const { method, headers } of calls)
      expect(headers['if-match']).toBe(method === 'DELETE' ? etag : undefined);
  },
);

inDocument('a delete whose response has a body succeeds, too', async ({ layer, sandbox }) => {
  const { id, etag } = await anEmployee(sandbox);
  await sandbox.fault({ method: 'DELETE', status: 200, after: true, body: { id, etag } });

  expect(await remove(layer, 'Employee', { id, ifMatch: etag })).toEqual({ record: null, userErrors: [] });
  expect(await isThere(sandbox, id)).toBe(false);
});
