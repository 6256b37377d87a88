import { expect, onTestFinished, vi } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { customerId: id, itemId } = sandboxExamples;

const elsewhere = '44444444-4444-4444-8444-444444444444';

const customer = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;

const tagged = (base: ReturnType<typeof testWith>) =>
  base.extend('etag', async ({ layer, sandbox }): Promise<string> => {
    const { data } = await layer.query(`{ company { customer(id: "${id}") { etag } } }`);
    await sandbox.forgetCalls();
    return data.company.customer.etag;
  });

const test = tagged(testWith({}, {}));
const inDynamics = tagged(testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' }));

async function update(layer: TestLayer, ifMatch: string, patch: object = { city: 'Oslo' }) {
  const { data, errors } = await layer.query(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) {
      customer { id etag city blocked } userErrors { code message }
    } }`,
    { input: { id, ifMatch, patch } },
  );
  expect(errors).toBeUndefined();
  return data.updateCustomer;
}

const methods = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

test.for([
  ['fails', { status: 503, body: {} }],
  ['breaks off', { reset: 'after' }],
  ['is too slow for the upstream', { status: 504 }],
  ['is throttled', { status: 429, body: {} }],
  ['is answered with a page of HTML', { status: 200, body: '<html>Hello</html>' }],
] as const)(
  'the verification read of a lost update is retried while it %s, and the update found applied',
  async ([_what, fault], { layer, sandbox, etag }) => {
    await sandbox.fault({ method: 'PATCH', reset: 'after' });
    await sandbox.fault({ method: 'GET', ...fault, times: 2 });

    const { customer, userErrors } = await update(layer, etag);

    expect(userErrors).toEqual([]);
    expect(customer).toMatchObject({ id, city: 'Oslo' });
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET', 'GET', 'GET']);
  },
);

test('a lost update of a record that cannot be read is OUTCOME_UNKNOWN without a record, after eleven reads', async ({
  layer,
  sandbox,
  etag,
}) => {
  // The pauses are random parts of a time that grows: none of each.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  await sandbox.fault({ method: 'PATCH', reset: 'after' });
  await sandbox.fault({ method: 'GET', status: 503, body: {}, times: 100 });

  const payload = await update(layer, etag);
  random.mockRestore();

  expect(payload).toMatchObject({ customer: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
  expect(await methods(sandbox)).toEqual(['PATCH', ...Array(11).fill('GET')]);
});

test.for([
  ['for want of a token (401)', { status: 401, body: {} }],
  ['for want of a right (403)', { status: 403, body: {} }],
  ['as it is asked (400)', { status: 400, body: {} }],
  ['for more than a minute (429)', { status: 429, headers: { 'retry-after': '61' }, body: {} }],
] as const)(
  'a lost update whose record the upstream refuses to return %s is OUTCOME_UNKNOWN after one read, without a record',
  async ([_why, fault], { sandbox, etag }) => {
    // Who is throttled sends nothing for a while.
    const layer = await startTestLayer(sandbox.url);
    onTestFinished(() => layer.stop());
    await sandbox.fault({ method: 'PATCH', reset: 'after' });
    await sandbox.fault({ method: 'GET', ...fault, times: 100 });

    const payload = await update(layer, etag);

    expect(payload).toMatchObject({ customer: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
  },
);

test('a verification read that returns another record does not settle the update', async ({
  layer,
  sandbox,
  etag,
}) => {
  await sandbox.fault({ method: 'PATCH', reset: 'before' });
  const body = { '@odata.etag': 'W/"x"', id: elsewhere, city: 'Oslo' };
  await sandbox.fault({ method: 'GET', status: 200, body });

  const payload = await update(layer, etag);

  expect(payload).toMatchObject({ customer: { id, city: 'Oslo' }, userErrors: [] });
  expect(await methods(sandbox)).toEqual(['PATCH', 'GET', 'GET', 'PATCH']);
});

test('a lost update with ifMatch "*" has succeeded where the record holds the input', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'PATCH', reset: 'after' });

  const payload = await update(layer, '*');

  expect(payload).toMatchObject({ customer: { id, city: 'Oslo' }, userErrors: [] });
  expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
});

test('a lost update with ifMatch "*" is OUTCOME_UNKNOWN where the record does not hold the input, and never retried', async ({
  layer,
  sandbox,
  etag,
}) => {
  await sandbox.fault({ method: 'PATCH', reset: 'before' });

  const payload = await update(layer, '*');

  expect(payload).toMatchObject({ customer: { id, etag }, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
  expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
});

const updateItem = `mutation ($input: UpdateItemInput!) {
  updateItem(input: $input) { item { id inventory displayName } userErrors { code } }
}`;

test.for([
  ['OUTCOME_UNKNOWN where the record does not hold it', { reset: 'before' }, [{ code: 'OUTCOME_UNKNOWN' }]],
  ['made where the record holds it', { reset: 'after' }, []],
] as const)(
  'a lost update of the stock level, which the upstream posts elsewhere, is %s, and never sent twice',
  async ([_what, fault, userErrors], { layer, sandbox }) => {
    const read = await layer.query(`{ company { item(id: "${itemId}") { etag } } }`);
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'PATCH', ...fault });

    const input = { id: itemId, ifMatch: read.data.company.item.etag, patch: { inventory: '987654' } };
    const { data } = await layer.query(updateItem, { input });

    expect(data.updateItem).toMatchObject({ item: { id: itemId }, userErrors });
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
  },
);

inDynamics(
  'a lost update is verified on the primary, however far the replica is behind',
  async ({ layer, sandbox, etag }) => {
    await sandbox.lag(true);
    await sandbox.fault({ method: 'PATCH', reset: 'after' });

    const payload = await update(layer, etag, { city: 'Oslo', blocked: 'Ship' });

    expect(payload).toMatchObject({ customer: { city: 'Oslo', blocked: 'Ship' }, userErrors: [] });
    const [patch, look, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(patch?.headers).not.toHaveProperty('data-access-intent');
    expect(look).toMatchObject({ method: 'GET', headers: { 'data-access-intent': 'ReadWrite' } });
  },
);

inDynamics(
  'a lost update is not retried because of a lagging replica: another client wrote first on the primary',
  async ({ layer, sandbox, etag }) => {
    await sandbox.lag(true);
    await sandbox.send('PATCH', customer, { city: 'Bergen' }, { 'if-match': etag });
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'PATCH', reset: 'before' });

    const payload = await update(layer, etag);

    expect(payload).toMatchObject({
      customer: { city: 'Bergen' },
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    });
    expect(await methods(sandbox)).toEqual(['PATCH', 'GET']);
  },
);
