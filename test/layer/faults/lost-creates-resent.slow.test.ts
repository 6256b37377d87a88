import { describe, expect, vi } from 'vitest';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const create = async (layer: TestLayer, input: object) => {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) {
      customer { id number displayName } userErrors { code upstream { message } }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.createCustomer;
};

/** A layer of its own for each test, since it remembers which entity sets keep client-supplied ids. Writes time out early. */
const testIn = (dialect: 'document' | 'dynamics') =>
  testWith({ dialect }, {}).extend('proven', async ({ sandbox }, { onCleanup }) => {
    const settings = { BUSINESS_DIALECT: dialect, WRITE_TIMEOUT_MS: '300' };
    const layer = await startTestLayer(sandbox.url, settings);
    onCleanup(() => layer.stop());
    await create(layer, { displayName: 'The first' });
    await sandbox.forgetCalls();
    return layer;
  });

const inDocument = testIn('document');
const inDynamics = testIn('dynamics');

const calls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, status }) => [method, status]);

const methods = async (sandbox: TestSandbox) => (await calls(sandbox)).map(([method]) => method);

/** The ids of the customers of a name, whatever was answered about them. */
async function idsOf(sandbox: TestSandbox, displayName: string): Promise<string[]> {
  const response = await sandbox.send('GET', '/sandbox/records?set=customers');
  const { records } = (await response.json()) as {
    records: { id: string; values: Record<string, string> }[];
  };
  return records.filter(({ values }) => values.displayName === displayName).map(({ id }) => id);
}

const input = { displayName: 'Brindle' };

describe.each([
  ['document', 409, inDocument],
  ['dynamics', 400, inDynamics],
] as const)('a lost create retried in the dialect %s,', (_dialect, duplicate, test) => {
  test('whose first attempt arrives last creates one record: the late attempt is refused for its id', async ({
    proven,
    sandbox,
  }) => {
    await sandbox.fault({ method: 'POST', lateMs: 900 });

    const { customer, userErrors } = await create(proven, input);

    expect(userErrors).toEqual([]);
    await expect.poll(() => calls(sandbox)).toContainEqual(['POST', duplicate]);
    expect(await methods(sandbox)).toEqual(['POST', 'GET', 'POST']);
    expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
  });

  test.for([
    ['with a number of its own', { ...input, number: 'BRINDLE-1' }],
    ['with a number of the series', input],
  ] as const)(
    '%s, and refused for its key because the first attempt arrived in between, is read: one record, no error',
    async ([_what, given], { proven, sandbox }) => {
      await sandbox.fault({ method: 'POST', lateMs: 800 });
      // Finds nothing before the first sending arrives, and tells it after.
      await sandbox.fault({ method: 'GET', delayMs: 900 });

      const { customer, userErrors } = await create(proven, given);

      expect(userErrors).toEqual([]);
      expect(customer).toMatchObject(given);
      expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
      expect(await calls(sandbox)).toEqual([
        ['POST', 201],
        ['GET', 404],
        ['POST', duplicate],
        ['GET', 200],
      ]);
    },
  );

  test('and refused for its key while reads do not return the record yet is read until they do', async ({
    proven,
    sandbox,
  }) => {
    await sandbox.fault({ method: 'POST', reset: 'after' });
    const body = { error: { code: 'Internal_RecordNotFound', message: 'no' } };
    await sandbox.fault({ method: 'GET', status: 404, body, times: 3 });

    const { customer, userErrors } = await create(proven, input);

    expect(userErrors).toEqual([]);
    expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
    expect(await methods(sandbox)).toEqual(['POST', 'GET', 'POST', 'GET', 'GET', 'GET']);
  });

  test('creates one record however often it is lost, without OUTCOME_UNKNOWN', async ({
    proven,
    sandbox,
  }) => {
    await sandbox.fault({ method: 'POST', reset: 'before' });
    await sandbox.fault({ method: 'POST', status: 503, body: {} });
    await sandbox.fault({ method: 'POST', status: 504 });

    const { customer, userErrors } = await create(proven, input);

    expect(userErrors).toEqual([]);
    expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
    expect(await methods(sandbox)).toEqual(['POST', 'GET', 'POST', 'GET', 'POST', 'GET', 'POST']);
  });

  test("and refused for its values is REFUSED, with the upstream's message", async ({ proven, sandbox }) => {
    const error = { code: 'Application_DialogException', message: 'The name is taken.' };
    await sandbox.fault({ method: 'POST', reset: 'before' });
    await sandbox.fault({ method: 'POST', status: 400, body: { error } });

    expect(await create(proven, input)).toEqual({
      customer: null,
      userErrors: [{ code: 'REFUSED', upstream: { message: error.message } }],
    });
    expect(await methods(sandbox)).toEqual(['POST', 'GET', 'POST', 'GET']);
  });

  test('and refused because its number belongs to another record is ALREADY_EXISTS with that record', async ({
    proven,
    sandbox,
  }) => {
    await create(proven, { displayName: 'Another', number: 'BRINDLE-1' });
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'POST', reset: 'before' });

    expect(await create(proven, { ...input, number: 'BRINDLE-1' })).toMatchObject({
      customer: { displayName: 'Another' },
      userErrors: [{ code: 'ALREADY_EXISTS' }],
    });
    expect(await methods(sandbox)).toEqual(['POST', 'GET', 'POST', 'GET']);
  });

  test("and throttled is retried after the upstream's Retry-After", async ({ proven, sandbox }) => {
    await sandbox.fault({ method: 'POST', reset: 'before' });
    await sandbox.fault({ method: 'POST', status: 429, headers: { 'retry-after': '1' }, body: {} });
    const begin = performance.now();

    const { customer, userErrors } = await create(proven, input);

    expect(performance.now() - begin).toBeGreaterThanOrEqual(1_000);
    expect(userErrors).toEqual([]);
    expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
    expect(await methods(sandbox)).toEqual(['POST', 'GET', 'POST', 'GET', 'POST']);
  });
});

inDocument(
  'a create that is always lost is given up as OUTCOME_UNKNOWN after eleven attempts with one id',
  async ({ proven, sandbox }) => {
    // The pauses are random parts of a time that grows: none of each.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    await sandbox.fault({ method: 'POST', reset: 'before', times: 100 });

    const payload = await create(proven, input);
    random.mockRestore();

    expect(payload).toMatchObject({ customer: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    const posts = (await sandbox.calls()).filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(11);
    expect(new Set(posts.map(({ body }) => JSON.parse(body).id)).size).toBe(1);
    expect(await methods(sandbox)).toHaveLength(22);
  },
);

inDynamics(
  'a lost create is verified on the primary: it is not retried because a replica lags behind',
  async ({ proven, sandbox }) => {
    await sandbox.lag(true);
    await sandbox.fault({ method: 'POST', reset: 'after' });

    const { customer, userErrors } = await create(proven, input);

    expect(userErrors).toEqual([]);
    expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
    const [, look, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(look).toMatchObject({ method: 'GET', headers: { 'data-access-intent': 'ReadWrite' } });
  },
);
