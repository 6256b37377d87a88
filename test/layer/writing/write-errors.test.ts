import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { inputTypeOf } from '../../support/input-types.ts';
import { startTestLayer, test, testToken } from '../../support/layer.ts';

const { customerId: id } = sandboxExamples;

const keys = { id, ifMatch: '*' };

/** Every mutation of records with an input that the layer sends. */
const single = {
  createCustomer: { displayName: 'Brindle Trading' },
  updateCustomer: { ...keys, patch: { city: 'Oslo' } },
  deleteCustomer: keys,
  createItem: {},
  updateItem: { ...keys, patch: { displayName: 'Chair' } },
  deleteItem: keys,
  createEmployee: {},
  updateEmployee: { ...keys, patch: { city: 'Oslo' } },
  deleteEmployee: keys,
  createSalesOrder: { customerNumber: 'C10000' },
  updateSalesOrder: { ...keys, patch: { email: 'a@b.example' } },
  deleteSalesOrder: keys,
  createSalesQuote: { customerNumber: 'C10000' },
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
const mutation = (name: string) =>
  `mutation ($input: ${inputTypeOf(name)}!) { ${name}(input: $input) ${payloadOf(name)} }`;

test.for(writes)(
  '%s without a token is UNAUTHENTICATED, and nothing is sent',
  async ([, name, input], { layer, sandbox }) => {
    const { data, errors } = await layer.query(mutation(name), { input }, { authorization: '' });

    expect(data).toEqual({ [name]: null });
    expect(errors).toMatchObject([{ path: [name], extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(await sandbox.calls()).toEqual([]);
  },
);

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
      const { data, errors } = await layer.query(mutation(name), { input }, caller(index));

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
      const { data, errors } = await layer.query(mutation(name), { input });

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
    const { data, errors } = await layer.query(mutation(name), { input });

    expect(data).toEqual({ [name]: null });
    expect(errors).toMatchObject([
      { message: expect.stringContaining('Name the company'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  }
  await layer.stop();
  expect(await sandbox.calls()).toEqual([]);
});

const order = { customerNumber: 'C10000' };
const unset = '00000000-0000-0000-0000-000000000000';

test.for([
  ['no input at all', 'updateCustomer', undefined, 'input'],
  ['no tag', 'updateCustomer', { id, patch: { city: 'Oslo' } }, 'ifMatch'],
  ['no tag in a delete', 'deleteItem', { id }, 'ifMatch'],
  ['no id', 'deleteSalesOrder', { ifMatch: '*' }, 'id'],
  ['no patch', 'updateEmployee', keys, 'patch'],
  ['null for a patch', 'updateEmployee', { ...keys, patch: null }, 'EmployeePatch'],
  ['no name for a new customer', 'createCustomer', { city: 'Oslo' }, 'displayName'],
  ['a GUID with braces', 'deleteCustomer', { id: `{${id}}`, ifMatch: '*' }, 'GUID'],
  ['the GUID of what is not set', 'createCustomer', { displayName: 'a', taxAreaId: unset }, 'unset'],
  ['a date that is none', 'createSalesOrder', { ...order, orderDate: '2026-02-30' }, '2026-02-30'],
  ['a time for a date', 'createEmployee', { birthDate: '2026-02-28T00:00:00Z' }, '2026-02-28T'],
  ['a decimal that is none', 'updateItem', { ...keys, patch: { unitPrice: '1,5' } }, 'Decimal'],
  [
    'a decimal of 1,000 digits and more',
    'updateItem',
    { ...keys, patch: { unitPrice: '1e1000' } },
    'Decimal',
  ],
  ['true for a decimal', 'updateItem', { ...keys, patch: { inventory: true } }, 'Decimal'],
  ['a number for a text', 'updateCustomer', { ...keys, patch: { city: 5 } }, 'String'],
  ['a text for a truth', 'updateItem', { ...keys, patch: { blocked: 'no' } }, 'Boolean'],
  ['a number for a word', 'updateCustomer', { ...keys, patch: { blocked: 5 } }, 'String'],
  ['a field that there is not', 'createItem', { colour: 'red' }, 'colour'],
  ['a read-only field', 'updateCustomer', { ...keys, patch: { balanceDue: '1' } }, 'balanceDue'],
  [
    'a read-only field of a line',
    'createSalesOrder',
    { ...order, documentLines: [{ lineType: 'Comment', description: 'x', taxPercent: 1 }] },
    'taxPercent',
  ],
  ['stock for a new item', 'createItem', { inventory: 5 }, 'inventory'],
  ['a new number for an order', 'updateSalesOrder', { ...keys, patch: { number: '1' } }, 'number'],
  [
    'lines for an order that is there',
    'updateSalesOrder',
    { ...keys, patch: { documentLines: [] } },
    'documentLines',
  ],
  ['null for an entry', 'batch', { entries: [null] }, 'BatchEntryInput'],
  ['no entries', 'batch', {}, 'entries'],
] as const)(
  '%s is GRAPHQL_VALIDATION_FAILED in the document, BAD_USER_INPUT in a variable, and nothing is sent',
  async ([_what, name, input, hint], { layer, sandbox }) => {
    const literal = input && JSON.stringify(input).replace(/"(\w+)":/g, '$1:');
    const written = await layer.query(
      `mutation { ${name}${literal ? `(input: ${literal})` : ''} ${payloadOf(name)} }`,
    );
    const given = await layer.query(mutation(name), { input });

    for (const [{ status, data, errors }, code] of [
      [written, 'GRAPHQL_VALIDATION_FAILED'],
      [given, 'BAD_USER_INPUT'],
    ] as const) {
      expect(status).toBe(400);
      expect(data).toBeUndefined();
      expect(errors).toMatchObject([
        { message: expect.stringContaining(hint), extensions: { code, requestId: expect.any(String) } },
      ]);
    }
    expect(await sandbox.calls()).toEqual([]);
  },
);

test.for([
  ['a tag that is none, in a delete', 'deleteItem', { id, ifMatch: 'abc' }, ['ifMatch']],
  ['a tag without quotes', 'updateItem', { id, ifMatch: 'W/abc', patch: { gtin: '1' } }, ['ifMatch']],
  ['two tags', 'updateSalesOrder', { id, ifMatch: '"a", "b"', patch: { email: 'a@b' } }, ['ifMatch']],
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
    const { data, errors } = await layer.query(mutation(name), { input });

    expect(errors).toBeUndefined();
    const payload = data[name].results?.[0] ?? data[name];
    expect(payload.userErrors).toEqual([{ code: 'INVALID_INPUT', path: ['input', ...path] }]);
    expect(await sandbox.calls()).toEqual([]);
  },
);

const byHand = `mutation { deleteCustomer(input: { id: "${id}", ifMatch: "*" }) { userErrors { code } } }`;

test('a mutation by GET is rejected with 405, and nothing is sent', async ({ layer, sandbox }) => {
  const response = await fetch(`${layer.url}/graphql?${new URLSearchParams({ query: byHand })}`, {
    headers: { authorization: `Bearer ${testToken}`, 'apollo-require-preflight': '1' },
  });

  expect(response.status).toBe(405);
  expect(response.headers.get('allow')).toBe('POST');
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  expect(await sandbox.calls()).toEqual([]);
});

test('a mutation over a WebSocket or an event stream is BAD_USER_INPUT, and nothing is sent', async ({
  layer,
  sandbox,
}) => {
  const refused = [{ extensions: { code: 'BAD_USER_INPUT' } }];
  const overStream = await fetch(`${layer.url}/graphql/stream`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${testToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: byHand }),
  });

  await expect(layer.watch(byHand, {})[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
  expect(await overStream.json()).toMatchObject({ errors: refused });
  expect(await sandbox.calls()).toEqual([]);
});
