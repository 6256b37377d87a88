import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { startLayerForTest, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const base = testWith({ dialect: 'dynamics' }, {});
// The window of a test is not to reach into the next.
const test = base.extend('primed', async ({ sandbox }): Promise<TestLayer> => startPrimed(sandbox));

const startPrimed = (sandbox: TestSandbox, settings: Record<string, string> = {}) =>
  startLayerForTest(sandbox.url, { BUSINESS_DIALECT: 'dynamics', ...settings });

const { customerId: id } = sandboxExamples;
const customer = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;
const another = { authorization: 'Bearer another-caller' };

async function read(layer: TestLayer, headers: Record<string, string> = {}) {
  const { data, errors } = await layer.query(
    `{ company { customer(id: "${id}") { etag city } } }`,
    {},
    headers,
  );
  expect(errors).toBeUndefined();
  return data.company.customer as { etag: string; city: string };
}

async function update(layer: TestLayer, city: string, ifMatch = '*') {
  const { data, errors } = await layer.query(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) {
      customer { etag city } userErrors { code }
    } }`,
    { input: { id, ifMatch, patch: { city } } },
  );
  expect(errors).toBeUndefined();
  return data.updateCustomer;
}

/** What each read of records asked for. */
const intents = async (sandbox: TestSandbox) =>
  (await sandbox.calls())
    .filter(({ method }) => method === 'GET')
    .map(({ headers }) => headers['data-access-intent']);

test("a caller's reads after its write see the write, however far the replica is behind, and the returned tag is not stale", async ({
  primed,
  sandbox,
}) => {
  await sandbox.lag(true);
  await update(primed, 'Harstad');
  await sandbox.forgetCalls();

  const { etag, city } = await read(primed);
  const again = await update(primed, 'Bodø', etag);

  expect(city).toBe('Harstad');
  expect(again).toMatchObject({ customer: { city: 'Bodø' }, userErrors: [] });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['GET', 'PATCH']);
  expect(await intents(sandbox)).toEqual(['ReadWrite']);
});

test('so do its lists, and the parts of a batch', async ({ primed, sandbox }) => {
  await sandbox.lag(true);
  await update(primed, 'Harstad');
  await sandbox.forgetCalls();
  const others = ['items', 'employees', 'salesOrders', 'accounts', 'currencies'];

  const { data } = await primed.query(
    `{ company {
      customers(first: 1, filter: { city: { eq: "Harstad" } }) { nodes { id } }
      ${others.map((list) => `${list}(first: 1) { nodes { id } }`).join(' ')}
    } }`,
  );

  expect(data.company.customers.nodes).toEqual([{ id }]);
  const [batch, ...rest] = await sandbox.calls();
  expect(rest).toEqual([]);
  const { requests } = JSON.parse(batch?.body ?? '') as { requests: { headers: Record<string, string> }[] };
  expect(requests.map(({ headers }) => headers['data-access-intent'])).toEqual(Array(6).fill('ReadWrite'));
});

test('reads of another caller, and of another company, do not use the primary', async ({
  primed,
  sandbox,
}) => {
  const { data } = await primed.query('{ companies { nodes { id } } }');
  const other = data.companies.nodes
    .map((company: { id: string }) => company.id)
    .find((companyId: string) => companyId !== sandboxCompanyId);
  await update(primed, 'Harstad');
  await sandbox.forgetCalls();

  await read(primed, another);
  await primed.query(`{ company(id: "${other}") { customers(first: 1) { nodes { id } } } }`);

  const asked = await intents(sandbox);
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect(asked.every((intent) => intent === undefined)).toBe(true);
});

test('the window ends by itself, however many reads there are within it', async ({ sandbox }) => {
  const layer = await startPrimed(sandbox, { READ_AFTER_WRITE_SECONDS: '1' });
  await update(layer, 'Harstad');
  await sandbox.forgetCalls();
  const readAgain = async () => {
    await read(layer);
    return (await intents(sandbox)).at(-1);
  };
  expect(await readAgain()).toBe('ReadWrite');
  await expect.poll(readAgain, { interval: 100 }).toBeUndefined();
});

test.for([
  ['while a change is on its way', 'PATCH', { delayMs: 1_000 }],
  ['after a change that was refused', 'PATCH', { status: 400, body: {} }],
] as const)('%s its caller reads from the primary', async ([, method, fault], { primed, sandbox }) => {
  await sandbox.fault({ method, ...fault });
  const writing = update(primed, 'Harstad');
  await expect.poll(async () => (await sandbox.calls()).map((call) => call.method)).toContain(method);
  if (!('delayMs' in fault)) await writing;
  await sandbox.forgetCalls();

  await read(primed);
  const asked = await intents(sandbox);
  await writing;

  expect(asked).toEqual(['ReadWrite']);
});

test('a write whose outcome is unknown counts as applied: the window begins when it is given up', async ({
  sandbox,
}) => {
  const layer = await startPrimed(sandbox, { READ_AFTER_WRITE_SECONDS: '2', WRITE_TIMEOUT_MS: '2500' });
  await sandbox.lag(true);
  await sandbox.fault({ method: 'PATCH', delayMs: 5_000 });
  await sandbox.fault({ method: 'GET', status: 403, body: {} });

  const { userErrors } = await update(layer, 'Harstad');
  await sandbox.forgetCalls();
  const { city } = await read(layer);

  expect(userErrors).toEqual([{ code: 'OUTCOME_UNKNOWN' }]);
  expect(city).toBe('Harstad');
  expect(await intents(sandbox)).toEqual(['ReadWrite']);
});

test('a write that is rejected before anything is sent opens no window', async ({ primed, sandbox }) => {
  const { userErrors } = await update(primed, 'Harstad', 'no tag');
  await read(primed);

  expect(userErrors).toEqual([{ code: 'INVALID_INPUT' }]);
  expect(await intents(sandbox)).toEqual([undefined]);
});

test('tributary-read: primary sends any read to the primary, and shares it with no read without the header', async ({
  primed,
  sandbox,
}) => {
  await sandbox.lag(true);
  await sandbox.send('PATCH', customer, { city: 'Vardø' }, { 'if-match': '*' });
  await sandbox.forgetCalls();
  await sandbox.fault({ method: 'GET', path: '/customers', delayMs: 300 });

  const plain = read(primed);
  await expect.poll(() => intents(sandbox)).toHaveLength(1);
  const primary = { 'tributary-read': 'primary' };
  const all = await Promise.all([read(primed, primary), read(primed, primary), read(primed)]);

  expect(all.slice(0, 2).map(({ city }) => city)).toEqual(['Vardø', 'Vardø']);
  expect((await plain).city).not.toBe('Vardø');
  expect(all[2]?.city).not.toBe('Vardø');
  expect(await intents(sandbox)).toEqual([undefined, 'ReadWrite', 'ReadWrite']);
});
