import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { inputTypeOf } from '../../support/input-types.ts';
import { startTestLayer, test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { customerId: id, itemId } = sandboxExamples;

const customer = { id, ifMatch: '*' };
const nobody = '99999999-0000-4000-8000-000000000000';

const subjects = ['customer', 'item', 'employee', 'salesOrder', 'salesQuote'];
const sets = subjects.map((subject) => `${subject}s`);

/** A write by the name of its mutation; its payload shows the record by its id. */
function mutation(name: string): string {
  const subject = subjects.find((one) => name.toLowerCase().endsWith(one.toLowerCase()));
  const fields = 'userErrors { code message path upstream { code message } }';
  return `mutation ($input: ${inputTypeOf(name)}!) { ${name}(input: $input) { ${subject} { id } ${fields} } }`;
}

/** All that is stored, and how often each record was written. */
const stored = (sandbox: TestSandbox) =>
  Promise.all(sets.map(async (set) => (await sandbox.send('GET', `/sandbox/records?set=${set}`)).text()));

test.for([
  [400, 'REFUSED'],
  [403, 'NOT_ALLOWED'],
  [405, 'REFUSED'],
  [409, 'CONFLICT'],
  [410, 'REFUSED'],
  [413, 'INVALID_INPUT'],
  [415, 'REFUSED'],
  [422, 'INVALID_INPUT'],
  [428, 'REFUSED'],
  [501, 'REFUSED'],
] as const)(
  "a create, an update and a delete answered %s are %s, are sent once, and carry the upstream's message",
  async ([status, code], { layer, sandbox }) => {
    for (const [name, input] of [
      ['createCustomer', { id: nobody, displayName: 'Brindle Trading' }],
      ['updateCustomer', { ...customer, patch: { city: 'Oslo' } }],
      ['deleteCustomer', customer],
    ] as const) {
      await sandbox.forgetCalls();
      await sandbox.fault({ status, body: { error: { code: 'Its_Code', message: 'No.' } } });

      const { data, errors } = await layer.query(mutation(name), { input });

      expect(errors).toBeUndefined();
      const message = status === 403 ? null : 'No.';
      expect(data[name].userErrors).toMatchObject([
        { code, path: null, upstream: { code: 'Its_Code', message } },
      ]);
      const isShown = name !== 'createCustomer' && code !== 'NOT_ALLOWED';
      expect(data[name].customer).toEqual(isShown ? { id } : null);
      const [first, ...others] = (await sandbox.calls()).map(({ method }) => method);
      expect(first).not.toBe('GET');
      expect(others).toEqual(isShown ? ['GET'] : []);
    }
  },
);

test.for([
  ['empty', ''],
  ['HTML', '<html><body>Bad Request</body></html>'],
  ['JSON without a code', { error: { message: 'De waarde is niet toegestaan.' } }],
] as const)(
  'an update answered 400 with a body that is %s is REFUSED',
  async ([, body], { layer, sandbox }) => {
    await sandbox.fault({ method: 'PATCH', status: 400, body });

    const { data } = await layer.query(mutation('updateCustomer'), {
      input: { ...customer, patch: { city: 'Oslo' } },
    });

    expect(data.updateCustomer.userErrors).toMatchObject([{ code: 'REFUSED' }]);
  },
);

test.for([
  ['Application_DialogException', 'REFUSED'],
  ['BadRequest', 'INVALID_INPUT'],
] as const)(
  'a create answered 503 with %s is %s, and is not looked for',
  async ([error, code], { layer, sandbox }) => {
    await sandbox.fault({ method: 'POST', status: 503, body: { error: { code: error, message: 'No.' } } });

    const { data } = await layer.query(mutation('createCustomer'), { input: { displayName: 'Brindle' } });

    expect(data.createCustomer.userErrors).toMatchObject([{ code }]);
    expect((await sandbox.calls()).filter(({ method }) => method === 'GET')).toEqual([]);
  },
);

test('a read-only token is NOT_ALLOWED to write', async ({ layer, sandbox }) => {
  const before = await stored(sandbox);
  for (const [name, input] of [
    ['createEmployee', {}],
    ['updateItem', { id: itemId, ifMatch: '*', patch: { displayName: 'Chair' } }],
    ['deleteCustomer', customer],
  ] as const) {
    const { data, errors } = await layer.query(mutation(name), { input }, { authorization: 'Bearer reader' });

    expect(errors).toBeUndefined();
    expect(data[name].userErrors).toMatchObject([{ code: 'NOT_ALLOWED' }]);
  }
  expect(await stored(sandbox)).toEqual(before);
});

test.for([
  ['updateCustomer', { ...customer, id: nobody, patch: { city: 'Oslo' } }],
  ['createEmployee', { companyId: nobody }],
  ['createSalesOrder', { companyId: nobody, customerNumber: 'C10000' }],
  ['updateCustomer', { ...customer, companyId: nobody, patch: { city: 'Oslo' } }],
  ['deleteCustomer', { ...customer, companyId: nobody }],
] as const)(
  '%s is NOT_FOUND where there is no such record or company: %j',
  async ([name, input], { layer, sandbox }) => {
    const { data, errors } = await layer.query(mutation(name), { input });

    expect(errors).toBeUndefined();
    expect(data[name].userErrors).toMatchObject([{ code: 'NOT_FOUND' }]);
    // A change and a delete are followed by a look.
    expect(await sandbox.calls()).toHaveLength(name.startsWith('create') ? 1 : 2);
  },
);

const line = { lineType: 'Item', itemNo: '1000', quantity: 1 };
const order = (...documentLines: object[]) => ({ customerNumber: 'C10000', documentLines });

test.for([
  [
    'a text that is too long',
    'INVALID_INPUT',
    'updateCustomer',
    { city: 'x'.repeat(31) },
    /length of the string is 31/,
    'city',
  ],
  [
    'a code that is too long',
    'INVALID_INPUT',
    'createEmployee',
    { number: 'x'.repeat(21) },
    /length of the string is 21/,
    'number',
  ],
  [
    'a text that is too long in a line',
    'INVALID_INPUT',
    'createSalesOrder',
    order({ ...line, description: 'x'.repeat(101) }),
    /101/,
    null,
  ],
  [
    'a reference to nothing',
    'REFUSED',
    'updateCustomer',
    { paymentTermsId: nobody },
    /"paymentTermsId" does not match/,
    'paymentTermsId',
  ],
  [
    'a customer that there is not',
    'REFUSED',
    'createSalesQuote',
    { customerNumber: 'NOPE' },
    /"customerNumber" does not/,
    'customerNumber',
  ],
  [
    'a country that there is not',
    'INVALID_INPUT',
    'updateCustomer',
    { country: 'XQ' },
    /cannot be found/,
    null,
  ],
  [
    'an address of no electronic mail',
    'REFUSED',
    'updateCustomer',
    { email: 'nobody' },
    /"nobody" is not valid/,
    null,
  ],
  [
    'no name',
    'REFUSED',
    'updateCustomer',
    { displayName: null },
    /"displayName" must be provided/,
    'displayName',
  ],
  ['no number', 'REFUSED', 'updateCustomer', { number: null }, /"number" must be provided/, 'number'],
  [
    'a discount above the amount',
    'REFUSED',
    'createSalesOrder',
    { ...order(line), discountAmount: '1000000000' },
    /discount/,
    null,
  ],
] as const)(
  "%s is %s with the upstream's message, the path of the field that it names, and nothing is stored",
  async ([_what, code, name, fields, words, named], { layer, sandbox }) => {
    const before = await stored(sandbox);
    const path = named ? ['input', ...(name === 'updateCustomer' ? ['patch'] : []), named] : null;

    const { data, errors } = await layer.query(mutation(name), {
      input: name === 'updateCustomer' ? { ...customer, patch: fields } : fields,
    });

    expect(errors).toBeUndefined();
    expect(data[name].userErrors).toMatchObject([
      { code, path, upstream: { message: expect.stringMatching(words) } },
    ]);
    expect(await stored(sandbox)).toEqual(before);
  },
);

test('an update to a number that is taken is ALREADY_EXISTS with the record that it was for, and nothing is stored', async ({
  layer,
  sandbox,
}) => {
  const before = await stored(sandbox);

  for (const [name, subject, input] of [
    ['updateCustomer', 'customer', { ...customer, patch: { number: 'c10010' } }],
    ['updateItem', 'item', { id: itemId, ifMatch: '*', patch: { number: '1004' } }],
  ] as const) {
    const { data } = await layer.query(mutation(name), { input });

    expect(data[name]).toMatchObject({
      [subject]: { id: input.id },
      userErrors: [{ code: 'ALREADY_EXISTS', upstream: { code: 'Internal_EntityWithSameKeyExists' } }],
    });
  }
  expect(await stored(sandbox)).toEqual(before);
});

test('a write whose response exceeds the size limit is verified by a read, and found applied', async ({
  sandbox,
}) => {
  const layer = await startTestLayer(sandbox.url, { MAX_RESPONSE_BYTES: '16384' });
  const { data } = await layer.query('{ company { employees(first: 1) { nodes { id etag } } } }');
  const [{ id: employeeId, etag: ifMatch }] = data.company.employees.nodes;

  for (const [name, input, method] of [
    ['createEmployee', { givenName: 'Ada' }, 'POST'],
    ['updateEmployee', { id: employeeId, ifMatch, patch: { city: 'Oslo' } }, 'PATCH'],
    ['deleteEmployee', { id: employeeId, ifMatch: '*' }, 'DELETE'],
  ] as const) {
    await sandbox.forgetCalls();
    await sandbox.fault({ method, status: 200, after: true, bytes: 100_000 });

    const answer = await layer.query(mutation(name), { input });

    expect(answer.errors).toBeUndefined();
    expect(answer.data[name].userErrors).toEqual([]);
    // A delete is done where the record is gone and its set answers.
    const looks = method === 'DELETE' ? ['GET', 'GET'] : ['GET'];
    expect((await sandbox.calls()).map((call) => call.method)).toEqual([method, ...looks]);
  }
  await layer.stop();
});
