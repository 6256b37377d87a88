import { expect, onTestFinished, vi } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;

const id = '44444444-4444-4444-8444-444444444444';

const tagged = (base: ReturnType<typeof testWith>) =>
  // The tag of a customer that no document names: it can be deleted.
  base.extend('etag', async ({ sandbox }): Promise<string> => {
    const response = await sandbox.send('POST', customers, { id, displayName: 'Short-lived' });
    await sandbox.forgetCalls();
    return ((await response.json()) as Record<string, string>)['@odata.etag'] as string;
  });

const test = tagged(testWith({}, {}));
const inDynamics = tagged(testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' }));

async function remove(layer: TestLayer, ifMatch: string, customerId = id) {
  const { data, errors } = await layer.query(
    `mutation ($input: RecordVersionInput!) { deleteCustomer(input: $input) {
      customer { id etag } userErrors { code upstream { message } }
    } }`,
    { input: { id: customerId, ifMatch } },
  );
  expect(errors).toBeUndefined();
  return data.deleteCustomer;
}

const methods = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

const deleted = { customer: null, userErrors: [] };

test.for([
  ['fails', { status: 503, body: {} }],
  ['breaks off', { reset: 'after' }],
  ['is throttled', { status: 429, body: {} }],
  ['is answered with a page of HTML', { status: 200, body: '<html>Hello</html>' }],
] as const)(
  'the verification read of a lost delete is retried while it %s',
  async ([_what, fault], { layer, sandbox, etag }) => {
    await sandbox.fault({ method: 'DELETE', reset: 'after' });
    await sandbox.fault({ method: 'GET', ...fault, times: 2 });

    expect(await remove(layer, etag)).toEqual(deleted);
    expect(await methods(sandbox)).toEqual(['DELETE', 'GET', 'GET', 'GET', 'GET']);
  },
);

test('a lost delete of a record that cannot be read is OUTCOME_UNKNOWN without a record, after eleven reads', async ({
  layer,
  sandbox,
  etag,
}) => {
  // The pauses are random parts of a time that grows: none of each.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  await sandbox.fault({ method: 'DELETE', reset: 'before' });
  await sandbox.fault({ method: 'GET', status: 503, body: {}, times: 100 });

  const payload = await remove(layer, etag);
  random.mockRestore();

  expect(payload).toMatchObject({ customer: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
  expect(await methods(sandbox)).toEqual(['DELETE', ...Array(11).fill('GET')]);
});

test.for([
  ['for want of a token (401)', { status: 401, body: {} }],
  ['for want of a right (403)', { status: 403, body: {} }],
  ['for more than a minute (429)', { status: 429, headers: { 'retry-after': '61' }, body: {} }],
] as const)(
  'a lost delete whose record the upstream refuses to return %s is OUTCOME_UNKNOWN after one read',
  async ([_why, fault], { sandbox, etag }) => {
    // Who is throttled sends nothing for a while.
    const layer = await startTestLayer(sandbox.url);
    onTestFinished(() => layer.stop());
    await sandbox.fault({ method: 'DELETE', reset: 'after' });
    await sandbox.fault({ method: 'GET', ...fault, times: 100 });

    expect(await remove(layer, etag)).toMatchObject({
      customer: null,
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    });
    expect(await methods(sandbox)).toEqual(['DELETE', 'GET']);
  },
);

test.for([
  [400, 'REFUSED'],
  [409, 'CONFLICT'],
] as const)(
  'a lost delete refused with %i on retry is %s, with the record that still exists',
  async ([status, code], { layer, sandbox, etag }) => {
    const error = { code: 'Application_DialogException', message: 'There is an outstanding order.' };
    await sandbox.fault({ method: 'DELETE', reset: 'before' });
    await sandbox.fault({ method: 'DELETE', status, body: { error } });

    expect(await remove(layer, etag)).toEqual({
      customer: { id, etag },
      userErrors: [{ code, upstream: { message: error.message } }],
    });
    expect(await methods(sandbox)).toEqual(['DELETE', 'GET', 'DELETE', 'GET']);
  },
);

test('a lost delete refused with 403 on retry is NOT_ALLOWED, and the record is not read again', async ({
  layer,
  sandbox,
  etag,
}) => {
  await sandbox.fault({ method: 'DELETE', reset: 'before' });
  await sandbox.fault({ method: 'DELETE', status: 403, body: {} });

  expect(await remove(layer, etag)).toMatchObject({ customer: null, userErrors: [{ code: 'NOT_ALLOWED' }] });
  expect(await methods(sandbox)).toEqual(['DELETE', 'GET', 'DELETE']);
});

test("a lost delete throttled on retry is retried after the upstream's Retry-After", async ({
  layer,
  sandbox,
  etag,
}) => {
  await sandbox.fault({ method: 'DELETE', reset: 'before' });
  await sandbox.fault({ method: 'DELETE', status: 429, headers: { 'retry-after': '1' }, body: {} });
  const begin = performance.now();

  expect(await remove(layer, etag)).toEqual(deleted);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(1_000);
  expect(await methods(sandbox)).toEqual(['DELETE', 'GET', 'DELETE', 'GET', 'DELETE']);
});

test.for([
  ['was not carried out is sent once more', { reset: 'before' }, ['DELETE', 'GET', 'DELETE']],
  ['was carried out is found done', { reset: 'after' }, ['DELETE', 'GET', 'GET']],
] as const)(
  'a lost delete with ifMatch "*" that %s',
  async ([_what, fault, expected], { layer, sandbox, etag: _made }) => {
    await sandbox.fault({ method: 'DELETE', ...fault });

    expect(await remove(layer, '*')).toEqual(deleted);
    expect(await methods(sandbox)).toEqual(expected);
  },
);

test('a verification read that returns another record does not settle the delete', async ({
  layer,
  sandbox,
  etag,
}) => {
  const body = { '@odata.etag': 'W/"x"', id: sandboxExamples.customerId };
  await sandbox.fault({ method: 'DELETE', status: 500, body: {}, times: 2 });
  await sandbox.fault({ method: 'GET', status: 200, body, times: 2 });

  expect(await remove(layer, etag)).toMatchObject({
    customer: { id, etag },
    userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
  });
});

test.for([
  [
    404,
    { error: { code: 'Internal_RecordNotFound', message: 'The Sales Header does not exist.' } },
    'INVALID_INPUT',
    ['DELETE', 'GET', 'GET'],
  ],
  [412, {}, 'CONFLICT', ['DELETE', 'GET']],
  [409, { error: { code: 'Request_EntityChanged', message: 'no' } }, 'CONFLICT', ['DELETE', 'GET']],
  [400, { error: { code: 'Application_DialogException', message: 'no' } }, 'REFUSED', ['DELETE', 'GET']],
] as const)(
  'a delete refused at the first attempt, with %i %j, is %s, and is not retried',
  async ([status, body, code, expected], { layer, sandbox, etag }) => {
    await sandbox.fault({ method: 'DELETE', status, body });

    const { customer, userErrors } = await remove(layer, etag);

    expect(userErrors).toMatchObject([{ code }]);
    expect(customer).toEqual({ id, etag });
    expect(await methods(sandbox)).toEqual(expected);
  },
);

inDynamics(
  'a lost delete is verified on the primary, though a replica still returns the record',
  async ({ layer, sandbox, etag }) => {
    await sandbox.lag(true);
    await sandbox.fault({ method: 'DELETE', reset: 'after' });

    expect(await remove(layer, etag)).toEqual(deleted);
    const [, look, set, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(set).toMatchObject({ method: 'GET', status: 200 });
    expect(look).toMatchObject({
      method: 'GET',
      status: 404,
      headers: { 'data-access-intent': 'ReadWrite' },
    });
  },
);
