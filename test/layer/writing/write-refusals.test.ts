import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { inputTypeOf } from '../../support/input-types.ts';
import { startBeforeStub, startLayerForTest, test } from '../../support/layer.ts';
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
/** Mutations and their inputs: each write, and a batch of two. */
const writes: readonly (readonly [string, object])[] = Object.entries(single).flatMap(([name, input]) => {
  const entry = { [name]: input };
  return [[name, input] as const, ['batch', { entries: [entry, entry] }] as const];
});

const payloadOf = (name: string) =>
  name === 'batch' ? '{ results { userErrors { code path } } }' : '{ userErrors { code path } }';
const mutationOf = (name: string) =>
  `mutation ($input: ${inputTypeOf(name)}!) { ${name}(input: $input) ${payloadOf(name)} }`;

interface Circumstance {
  readonly settings?: Readonly<Record<string, string>>;
  readonly authorization?: string;
  readonly fault?: Readonly<Record<string, unknown>>;
  readonly calls: number;
}

const retryAfter = { headers: { 'retry-after': '7' }, body: {} };
const ofBusiness = { upstream: 'business' };

test.for<[what: string, circumstance: Circumstance, extensions: object]>([
  ['without a token', { authorization: '', calls: 0 }, { code: 'UNAUTHENTICATED' }],
  [
    'answered 401',
    { fault: { status: 401, ...retryAfter }, calls: 1 },
    { code: 'UNAUTHENTICATED', retryAfterSeconds: 7 },
  ],
  [
    'answered 429',
    { fault: { status: 429, ...retryAfter }, calls: 1 },
    { code: 'UPSTREAM_THROTTLED', retryAfterSeconds: 7 },
  ],
  [
    'to an upstream that cannot be reached',
    { settings: { BUSINESS_URL: 'http://127.0.0.1:1' }, calls: 0 },
    { code: 'UPSTREAM_UNAVAILABLE', ...ofBusiness },
  ],
  [
    'to an area without an address',
    { settings: { BUSINESS_URL: '' }, calls: 0 },
    { code: 'UPSTREAM_NOT_CONFIGURED', ...ofBusiness },
  ],
  [
    'that names no company where none is the default',
    { settings: { BUSINESS_COMPANY_ID: '' }, calls: 0 },
    { code: 'BAD_USER_INPUT' },
  ],
])(
  'every write %s is the matching error instead of its payload, and is sent once at most',
  async ([, { settings = {}, authorization, fault, calls }, extensions], { sandbox }) => {
    const layer = await startLayerForTest(sandbox.url, settings);
    for (const [index, [name, input]] of writes.entries()) {
      await sandbox.forgetCalls();
      if (fault) await sandbox.fault(fault);

      // Who is throttled sends nothing for a while.
      const headers = { authorization: authorization ?? `Bearer caller-${index}` };
      const { data, errors } = await layer.query(mutationOf(name), { input }, headers);

      expect(data).toEqual({ [name]: null });
      expect(errors).toMatchObject([{ path: [name], extensions }]);
      if ('BUSINESS_COMPANY_ID' in settings) expect(errors?.[0]?.message).toContain('Name the company');
      expect(await sandbox.calls()).toHaveLength(calls);
    }
  },
);

test('an update that changes nothing is INVALID_INPUT with its path, and nothing is sent', async ({
  layer,
  sandbox,
}) => {
  const input = { ...keys, patch: {} };
  const { data, errors } = await layer.query(mutationOf('updateSalesOrder'), { input });

  expect(errors).toBeUndefined();
  expect(data.updateSalesOrder.userErrors).toEqual([{ code: 'INVALID_INPUT', path: ['input', 'patch'] }]);
  expect(await sandbox.calls()).toEqual([]);
});
