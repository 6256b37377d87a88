import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { inputTypeOf } from '../../support/input-types.ts';
import { startBeforeStub, startTestLayer, test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import type { StubAnswer } from '../../support/stub.ts';

// Which code a response means: test/unit/business/error-rules.test.ts.

const { customerId: id } = sandboxExamples;

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

test('a create whose path the upstream does not know is an error, and says of no record that it is missing', async ({
  layer,
  sandbox,
}) => {
  const body = { error: { code: 'BadRequest_ResourceNotFound', message: 'No such segment.' } };
  await sandbox.fault({ method: 'POST', status: 404, body });

  const { data, errors } = await layer.query(mutation('createCustomer'), { input: { displayName: 'Nord' } });

  expect(data.createCustomer).toBeNull();
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_NOT_FOUND' } }]);
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST']);
});

test.for([
  ['updateCustomer', { ...customer, id: nobody, patch: { city: 'Oslo' } }],
  ['createEmployee', { companyId: nobody }],
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

test.for([
  [
    'a text that is too long',
    'INVALID_INPUT',
    { city: 'x'.repeat(31) },
    /length of the string is 31/,
    'city',
  ],
  ['an address of no electronic mail', 'REFUSED', { email: 'nobody' }, /"nobody" is not valid/, null],
] as const)(
  "%s is %s with the upstream's message, the path of the field that it names, and nothing is stored",
  async ([_what, code, patch, words, named], { layer, sandbox }) => {
    const before = await stored(sandbox);
    const path = named && ['input', 'patch', named];

    const { data, errors } = await layer.query(mutation('updateCustomer'), { input: { ...customer, patch } });

    expect(errors).toBeUndefined();
    expect(data.updateCustomer.userErrors).toMatchObject([
      { code, path, upstream: { message: expect.stringMatching(words) } },
    ]);
    expect(await stored(sandbox)).toEqual(before);
  },
);

test('a missing permission is FORBIDDEN to read and NOT_ALLOWED to write, with one call each; a lock is CONFLICT, and read again', async () => {
  const error = (code: string, message: string): StubAnswer => ({
    status: code === 'Internal_ServerError' ? 409 : 400,
    body: { error: { code, message } },
  });
  let answer: StubAnswer = {};
  const { layer, stub } = await startBeforeStub(() => answer, { UPSTREAM_ATTEMPTS: '3' });
  const ask = async () => {
    const before = stub.requests.length;
    const read = await layer.query(`{ company { customer(id: "${id}") { id } } }`);
    const input = { displayName: 'Brindle' };
    const created = await layer.query(mutation('createCustomer'), { input });
    expect(JSON.stringify([read, created])).not.toContain('TableData');
    return {
      codes: [read.errors?.[0]?.extensions.code, created.data.createCustomer.userErrors[0]?.code],
      methods: stub.requests
        .slice(before)
        .map(({ method }) => method)
        .join(' '),
    };
  };

  answer = error('Unknown', 'The permissions prevented the action. (TableData 36 Sales Header Read: App)');
  expect(await ask()).toEqual({ codes: ['FORBIDDEN', 'NOT_ALLOWED'], methods: 'GET POST' });
  answer = error('Internal_ServerError', 'Gesperrt.');
  expect(await ask()).toEqual({ codes: ['UPSTREAM_UNAVAILABLE', 'CONFLICT'], methods: 'GET GET GET POST' });
});

const keys = { id, ifMatch: '*' };
const single = {
  createCustomer: { displayName: 'Brindle Trading' },
  updateItem: { ...keys, patch: { displayName: 'Chair' } },
  deleteSalesOrder: keys,
};
/** By what is done: the mutation, and its input. */
const writes: readonly (readonly [string, string, object])[] = Object.entries(single).flatMap(
  ([name, input]) => {
    const entry = { [name]: input };
    return [
      [name, name, input],
      [`a batch with ${name}`, 'batch', { entries: [entry, entry] }],
    ] as const;
  },
);

const payloadOf = (name: string) =>
  name === 'batch' ? '{ results { userErrors { code path } } }' : '{ userErrors { code path } }';
const mutationOf = (name: string) =>
  `mutation ($input: ${inputTypeOf(name)}!) { ${name}(input: $input) ${payloadOf(name)} }`;

test('every write without a token is UNAUTHENTICATED, and nothing is sent', async ({ layer, sandbox }) => {
  for (const [, name, input] of writes) {
    const { data, errors } = await layer.query(mutationOf(name), { input }, { authorization: '' });

    expect(data).toEqual({ [name]: null });
    expect(errors).toMatchObject([{ path: [name], extensions: { code: 'UNAUTHENTICATED' } }]);
  }
  expect(await sandbox.calls()).toEqual([]);
});

const caller = (index: number) => ({ authorization: `Bearer caller-${index}` });

test.for([
  [401, 'UNAUTHENTICATED'],
  [429, 'UPSTREAM_THROTTLED'],
] as const)(
  'every write answered %s is the error %s instead of its payload, and is sent once',
  async ([status, code], { layer, sandbox }) => {
    for (const [index, [, name, input]] of writes.entries()) {
      await sandbox.forgetCalls();
      await sandbox.fault({ status, headers: { 'retry-after': '7' }, body: {} });

      // Who is throttled sends nothing for a while.
      const { data, errors } = await layer.query(mutationOf(name), { input }, caller(index));

      expect(data).toEqual({ [name]: null });
      expect(errors).toMatchObject([{ path: [name], extensions: { code, retryAfterSeconds: 7 } }]);
      expect(await sandbox.calls()).toHaveLength(1);
    }
  },
);

test.for([
  ['an upstream that cannot be reached', 'http://127.0.0.1:1', 'UPSTREAM_UNAVAILABLE'],
  ['an area without an address', '', 'UPSTREAM_NOT_CONFIGURED'],
] as const)(
  'every write to %s is the matching error instead of its payload',
  async ([_what, BUSINESS_URL, code], { sandbox }) => {
    const layer = await startTestLayer(sandbox.url, { BUSINESS_URL });

    for (const [, name, input] of writes) {
      const { data, errors } = await layer.query(mutationOf(name), { input });

      expect(data).toEqual({ [name]: null });
      expect(errors).toMatchObject([{ path: [name], extensions: { code, upstream: 'business' } }]);
    }
    await layer.stop();
  },
);

test('without a default company every write must name a company, and nothing is sent', async ({
  sandbox,
}) => {
  const layer = await startTestLayer(sandbox.url, { BUSINESS_COMPANY_ID: '' });

  for (const [, name, input] of writes) {
    const { data, errors } = await layer.query(mutationOf(name), { input });

    expect(data).toEqual({ [name]: null });
    expect(errors).toMatchObject([
      { message: expect.stringContaining('Name the company'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  }
  await layer.stop();
  expect(await sandbox.calls()).toEqual([]);
});

test.for([
  ['a tag that is none, in a delete', 'deleteItem', { id, ifMatch: 'abc' }, ['ifMatch']],
  ['a tag without quotes', 'updateItem', { id, ifMatch: 'W/abc', patch: { gtin: '1' } }, ['ifMatch']],
  ['no change of an order', 'updateSalesOrder', { ...keys, patch: {} }, ['patch']],
  [
    'no change of one of one',
    'batch',
    { entries: [{ updateItem: { ...keys, patch: {} } }] },
    ['entries', '0', 'updateItem', 'patch'],
  ],
] as const)(
  '%s is INVALID_INPUT with its path, and nothing is sent',
  async ([_what, name, input, path], { layer, sandbox }) => {
    const { data, errors } = await layer.query(mutationOf(name), { input });

    expect(errors).toBeUndefined();
    const payload = data[name].results?.[0] ?? data[name];
    expect(payload.userErrors).toEqual([{ code: 'INVALID_INPUT', path: ['input', ...path] }]);
    expect(await sandbox.calls()).toEqual([]);
  },
);
