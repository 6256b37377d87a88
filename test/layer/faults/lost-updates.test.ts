import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test as base, startTestLayer, type TestLayer } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { customerId: id } = sandboxExamples;

const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;

const elsewhere = '44444444-4444-4444-8444-444444444444';

const test = base.extend('etag', async ({ layer, sandbox }): Promise<string> => {
  const { data } = await layer.query(`{ company { customer(id: "${id}") { etag } } }`);
  await sandbox.forgetCalls();
  return data.company.customer.etag;
});

async function update(layer: TestLayer, ifMatch: string, patch: object, customerId = id) {
  const { data, errors } = await layer.query(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) {
      customer { id etag city phoneNumber } userErrors { code message }
    } }`,
    { input: { id: customerId, ifMatch, patch } },
  );
  expect(errors).toBeUndefined();
  return data.updateCustomer;
}

/** The calls of the layer, without those of another tool. */
const calls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ headers }) => headers.from === undefined);

const methods = async (sandbox: TestSandbox) => (await calls(sandbox)).map(({ method }) => method);

/** Waits until the upstream has the PATCH of the layer, and lets another tool write. */
async function meanwhile(sandbox: TestSandbox, method: string, body?: object, path = `${customers}(${id})`) {
  await expect.poll(async () => (await sandbox.calls())[0]?.body, { interval: 5 }).toBeTruthy();
  const { ok } = await sandbox.send(method, path, body, { 'if-match': '*', from: 'tool' });
  expect(ok).toBe(true);
}

const lost: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['answered 500', { status: 500, body: { error: { code: 'Internal_ServerError', message: 'no' } } }],
  ['answered 502 by a gateway', { status: 502, body: '<html>Bad Gateway</html>' }],
  ['answered 503', { status: 503, body: {} }],
  ['answered 504', { status: 504 }],
  ['answered 408', { status: 408 }],
  ['answered with a page of HTML', { status: 200, body: '<html>Hello</html>' }],
  ['answered with an empty array', { status: 200, body: [] }],
  ['answered with half a record', { status: 200, body: '{"id": "4444' }],
  ['answered with another record', { status: 200, body: { id: elsewhere, city: 'Oslo' } }],
  ['answered with a record that has no id', { status: 200, body: { city: 'Oslo' } }],
  ['answered with a redirect', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
];

test.for([
  ['whose connection broke', { reset: 'after' }],
  ['whose answer was cut short', { cutAt: 60 }],
  ['answered 204', { status: 204, after: true }],
  ...lost.map(([what, fault]) => [what, { ...fault, after: true }] as const),
] as const)(
  'an update %s though it was carried out is found by a read: one PATCH, one GET and no error',
  async ([_what, fault], { layer, sandbox, etag }) => {
    await sandbox.fault({ method: 'PATCH', ...fault });

    const { customer, userErrors } = await update(layer, etag, { city: 'Oslo', phoneNumber: '1' });

    expect(userErrors).toEqual([]);
    expect(customer).toMatchObject({ id, city: 'Oslo', phoneNumber: '1' });
    expect(customer.etag).not.toBe(etag);
    const [patch, look, ...others] = await calls(sandbox);
    expect(others).toEqual([]);
    expect(patch).toMatchObject({ method: 'PATCH', headers: { 'if-match': etag } });
    expect(look?.method).toBe('GET');
    expect(look?.path.startsWith(`${customers}(${id})?`)).toBe(true);
  },
);

test.for([['whose connection broke', { reset: 'before' }] as const, ...lost])(
  'an update %s that was not carried out is retried once, with the same tag, and succeeds',
  async ([_what, fault], { layer, sandbox, etag }) => {
    await sandbox.fault({ method: 'PATCH', ...fault });

    const { customer, userErrors } = await update(layer, etag, { city: 'Oslo' });

    expect(userErrors).toEqual([]);
    expect(customer).toMatchObject({ id, city: 'Oslo' });
    expect(customer.etag).not.toBe(etag);
    const [first, look, second, ...others] = await calls(sandbox);
    expect(others).toEqual([]);
    expect(look?.method).toBe('GET');
    expect(first).toMatchObject({ method: 'PATCH', headers: { 'if-match': etag } });
    expect(second).toMatchObject({ method: 'PATCH', path: first?.path, headers: { 'if-match': etag } });
    expect(second?.body).toBe(first?.body);
  },
);

test.for([
  ['carried out', { delayMs: 2_000 }, ['PATCH', 'GET']],
  ['not carried out', { delayMs: 2_000, status: 504 }, ['PATCH', 'GET', 'PATCH']],
] as const)(
  'an update that takes longer than a write may, %s, still succeeds',
  async ([_what, fault, expected], { sandbox, etag }) => {
    const layer = await startTestLayer(sandbox.url, { WRITE_TIMEOUT_MS: '300' });
    await sandbox.fault({ method: 'PATCH', ...fault });

    const payload = await update(layer, etag, { city: 'Oslo' });
    await layer.stop();

    expect(payload).toMatchObject({ customer: { id, city: 'Oslo' }, userErrors: [] });
    expect(await methods(sandbox)).toEqual(expected);
  },
);

test.for([
  ['the change was not carried out', { status: 504, delayMs: 300 }],
  ['the change was carried out before', { reset: 'after', delayMs: 300 }],
] as const)(
  'where another client has written other values in the meantime, and %s, it is OUTCOME_UNKNOWN with the current record, and not retried',
  async ([_what, fault], { layer, sandbox, etag }) => {
    await sandbox.fault({ method: 'PATCH', ...fault });

    const changing = update(layer, etag, { city: 'Oslo', phoneNumber: '1' });
    await meanwhile(sandbox, 'PATCH', { city: 'Oslo', phoneNumber: '2' });
    const { customer, userErrors } = await changing;

    expect(userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
    expect(customer).toMatchObject({ id, city: 'Oslo', phoneNumber: '2' });
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
    const merged = await update(layer, customer.etag, { phoneNumber: '3' });
    expect(merged).toMatchObject({ customer: { phoneNumber: '3' }, userErrors: [] });
  },
);

test.for([
  ['another tool has written the same values', { status: 504, delayMs: 300 }, { city: 'Oslo', state: 'X' }],
  ['another tool has written other fields since', { reset: 'after', delayMs: 300 }, { phoneNumber: '2' }],
] as const)(
  'a lost update whose values the record holds has succeeded, though %s',
  async ([_what, fault, others], { layer, sandbox, etag }) => {
    await sandbox.fault({ method: 'PATCH', ...fault });

    const changing = update(layer, etag, { city: 'Oslo' });
    await meanwhile(sandbox, 'PATCH', others);

    expect(await changing).toMatchObject({ customer: { id, city: 'Oslo' }, userErrors: [] });
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
  },
);

test('a lost update that is refused on retry is OUTCOME_UNKNOWN where another client has written in the meantime', async ({
  layer,
  sandbox,
  etag,
}) => {
  await sandbox.fault({ method: 'PATCH', reset: 'before' });
  await sandbox.fault({ method: 'GET', delayMs: 300 });

  const changing = update(layer, etag, { city: 'Oslo' });
  await expect.poll(() => methods(sandbox), { interval: 5 }).toEqual(['PATCH', 'GET']);
  await meanwhile(sandbox, 'PATCH', { city: 'Bergen' });
  await sandbox.fault({ method: 'PATCH', status: 400, body: {} });

  expect(await changing).toMatchObject({
    customer: { id, city: 'Bergen' },
    userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
  });
  expect(await methods(sandbox)).toEqual(['PATCH', 'GET', 'PATCH', 'GET']);
});

test('a lost update of a record that was deleted in the meantime is NOT_FOUND', async ({
  layer,
  sandbox,
}) => {
  const created = await sandbox.send('POST', customers, { id: elsewhere, displayName: 'Short-lived' });
  const record = (await created.json()) as Record<string, string>;
  await sandbox.forgetCalls();
  await sandbox.fault({ method: 'PATCH', status: 504, delayMs: 300 });

  const changing = update(layer, record['@odata.etag'] as string, { city: 'Oslo' }, elsewhere);
  await meanwhile(sandbox, 'DELETE', undefined, `${customers}(${elsewhere})`);

  expect(await changing).toMatchObject({ customer: null, userErrors: [{ code: 'NOT_FOUND' }] });
  // The record is looked for, and its set answers.
  expect(await methods(sandbox)).toEqual(['PATCH', 'GET', 'GET']);
});

test('a lost update is verified by its fields even if the query does not select them', async ({
  layer,
  sandbox,
  etag,
}) => {
  await sandbox.fault({ method: 'PATCH', reset: 'after' });

  const { data } = await layer.query(
    'mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { userErrors { code } } }',
    { input: { id, ifMatch: etag, patch: { website: 'example.com', creditLimit: '12.50' } } },
  );

  expect(data.updateCustomer.userErrors).toEqual([]);
  const [, look, ...others] = await calls(sandbox);
  expect(others).toEqual([]);
  expect(look?.path).toBe(`${customers}(${id})?$select=id,website,creditLimit`);
});
