import { describe, expect, onTestFinished } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { customerId: id } = sandboxExamples;

const customer = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;

/** The calls of the layer, without those of another tool: what each was answered. */
const calls = async (sandbox: TestSandbox) =>
  (await sandbox.calls())
    .filter(({ headers }) => headers.from === undefined)
    .map(({ method, status }) => [method, status]);

async function update(layer: TestLayer, ifMatch: string, patch: object = { city: 'Oslo' }) {
  const { data, errors } = await layer.query(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) {
      customer { id etag city blocked } userErrors { code upstream { code message } }
    } }`,
    { input: { id, ifMatch, patch } },
  );
  expect(errors).toBeUndefined();
  return data.updateCustomer;
}

/** How the customer is stored, and how often it has been written. */
async function stored(sandbox: TestSandbox) {
  const response = await sandbox.send('GET', '/sandbox/records?set=customers');
  const { records } = (await response.json()) as { records: { id: string; version: number; etag: string }[] };
  return records.find((record) => record.id === id);
}

const testIn = (dialect: 'document' | 'dynamics') =>
  testWith({ dialect }, { BUSINESS_DIALECT: dialect })
    .extend('etag', async ({ layer, sandbox }): Promise<string> => {
      const { data } = await layer.query(`{ company { customer(id: "${id}") { etag } } }`);
      await sandbox.forgetCalls();
      return data.company.customer.etag;
    })
    // A layer that does not wait long for a write.
    .extend('hasty', async ({ sandbox }, { onCleanup }) => {
      const settings = { BUSINESS_DIALECT: dialect, WRITE_TIMEOUT_MS: '300' };
      const layer = await startTestLayer(sandbox.url, settings);
      onCleanup(() => layer.stop());
      return layer;
    });

const inDocument = testIn('document');
const inDynamics = testIn('dynamics');

describe.each([
  ['document', 412, inDocument],
  ['dynamics', 409, inDynamics],
] as const)('an update retried in the dialect %s', (dialect, stale, test) => {
  test('and refused as stale because the first attempt arrived late has succeeded, not STALE_RECORD', async ({
    hasty,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', lateMs: 800 });
    // Reads the record before the first sending arrives, and tells it after.
    await sandbox.fault({ method: 'GET', delayMs: 900 });

    const payload = await update(hasty, etag, { city: 'Oslo', blocked: null });

    expect(payload).toMatchObject({ customer: { city: 'Oslo', blocked: null }, userErrors: [] });
    expect(await calls(sandbox)).toEqual([
      ['PATCH', 200],
      ['GET', 200],
      ['PATCH', stale],
      ['GET', 200],
    ]);
    expect(await stored(sandbox)).toMatchObject({ version: 2, etag: payload.customer.etag });
  });

  test('takes effect once: the first attempt, when it arrives after the retry, is refused by its tag', async ({
    hasty,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', lateMs: 900 });

    const payload = await update(hasty, etag);

    expect(payload).toMatchObject({ customer: { city: 'Oslo' }, userErrors: [] });
    await expect.poll(() => calls(sandbox)).toContainEqual(['PATCH', stale]);
    expect(await stored(sandbox)).toMatchObject({ version: 2, etag: payload.customer.etag });
  });

  test('and refused as stale because another client wrote first is OUTCOME_UNKNOWN, not STALE_RECORD', async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', reset: 'before' });
    await sandbox.fault({ method: 'GET', delayMs: 300 });

    const changing = update(layer, etag);
    await expect.poll(async () => (await sandbox.calls()).length, { interval: 5 }).toBe(2);
    await sandbox.send('PATCH', customer, { city: 'Bergen' }, { 'if-match': etag, from: 'tool' });
    const payload = await changing;

    expect(payload).toMatchObject({
      customer: { id, city: 'Bergen' },
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    });
    expect(payload.customer.etag).toBe((await stored(sandbox))?.etag);
    expect(await calls(sandbox)).toEqual([
      ['PATCH', 0],
      ['GET', 200],
      ['PATCH', stale],
      ['GET', 200],
    ]);
  });

  test('and refused as stale though the tag is unchanged is OUTCOME_UNKNOWN, and not sent a third time', async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', reset: 'before' });
    await sandbox.fault({ method: 'PATCH', status: 412, body: { error: { code: 'X', message: 'no' } } });

    const payload = await update(layer, etag);

    expect(payload).toMatchObject({ customer: { id, etag }, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect((await calls(sandbox)).map(([method]) => method)).toEqual(['PATCH', 'GET', 'PATCH', 'GET']);
  });

  test('and lost again has succeeded where the record then holds the input', async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', reset: 'before' });
    await sandbox.fault({ method: 'PATCH', reset: 'after' });

    const payload = await update(layer, etag);

    expect(payload).toMatchObject({ customer: { city: 'Oslo' }, userErrors: [] });
    expect((await calls(sandbox)).map(([method]) => method)).toEqual(['PATCH', 'GET', 'PATCH', 'GET']);
  });

  test('and lost again is OUTCOME_UNKNOWN where the record does not hold the input, and is not sent a third time', async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', status: 500, body: {}, times: 9 });

    const payload = await update(layer, etag);

    expect(payload).toMatchObject({ customer: { id, etag }, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect((await calls(sandbox)).map(([method]) => method)).toEqual(['PATCH', 'GET', 'PATCH', 'GET']);
  });

  test.for([
    [400, 'REFUSED'],
    [403, 'NOT_ALLOWED'],
    [409, 'CONFLICT'],
  ] as const)(
    "and refused with %i while the tag is unchanged is %s, with the upstream's message and the record",
    async ([status, code], { layer, sandbox, etag }) => {
      const upstream = { code: 'Application_DialogException', message: 'no' };
      await sandbox.fault({ method: 'PATCH', reset: 'before' });
      await sandbox.fault({ method: 'PATCH', status, body: { error: upstream } });

      const payload = await update(layer, etag);

      expect(payload.customer).toMatchObject({ id, etag });
      expect(payload.userErrors).toMatchObject([{ code }]);
      // Of a refusal for rights only the code is shown.
      if (status !== 403) expect(payload.userErrors[0].upstream).toEqual(upstream);
      expect((await calls(sandbox)).map(([method]) => method)).toEqual(['PATCH', 'GET', 'PATCH', 'GET']);
    },
  );

  test("and throttled is retried after the upstream's Retry-After, and succeeds", async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', reset: 'before' });
    await sandbox.fault({ method: 'PATCH', status: 429, headers: { 'retry-after': '1' }, body: {} });
    const begin = performance.now();

    const payload = await update(layer, etag);

    expect(performance.now() - begin).toBeGreaterThanOrEqual(1_000);
    expect(payload).toMatchObject({ customer: { city: 'Oslo' }, userErrors: [] });
    expect(await calls(sandbox)).toEqual([
      ['PATCH', 0],
      ['GET', 200],
      ['PATCH', 429],
      ['GET', 200],
      ['PATCH', 200],
    ]);
  });

  test('and throttled for longer than a minute is OUTCOME_UNKNOWN at once, with the record', async ({
    sandbox,
    etag,
  }) => {
    // Who is throttled sends nothing for a while.
    const layer = await startTestLayer(sandbox.url, { BUSINESS_DIALECT: dialect });
    onTestFinished(() => layer.stop());
    await sandbox.fault({ method: 'PATCH', reset: 'before' });
    await sandbox.fault({ method: 'PATCH', status: 429, headers: { 'retry-after': '61' }, body: {} });

    const payload = await update(layer, etag);

    expect(payload).toMatchObject({ customer: { id, etag }, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect(await calls(sandbox)).toHaveLength(3);
  });

  test('with a token that has expired in the meantime is OUTCOME_UNKNOWN, with the record', async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', reset: 'before' });
    await sandbox.fault({ method: 'PATCH', status: 401, body: {} });

    const payload = await update(layer, etag);

    expect(payload).toMatchObject({ customer: { id, etag }, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect((await calls(sandbox)).map(([method]) => method)).toEqual(['PATCH', 'GET', 'PATCH', 'GET']);
  });

  test('and answered 404 is NOT_FOUND where the record no longer exists', async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'PATCH', reset: 'before' });
    const body = { error: { code: 'Internal_RecordNotFound', message: 'no' } };
    await sandbox.fault({ method: 'PATCH', status: 404, body });
    await sandbox.fault({ method: 'GET', delayMs: 0 });
    await sandbox.fault({ method: 'GET', status: 404, body });

    const payload = await update(layer, etag);

    expect(payload).toMatchObject({ customer: null, userErrors: [{ code: 'NOT_FOUND' }] });
  });
});
