import { expect, vi } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;

const chosen = '44444444-4444-4444-8444-444444444444';

/** A layer of its own for each test: whether an entity set keeps client-supplied ids is remembered until the process ends. */
const test = testWith({}, {})
  .extend('unproven', async ({ sandbox }, { onCleanup }) => {
    const layer = await startTestLayer(sandbox.url);
    onCleanup(() => layer.stop());
    return layer;
  })
  .extend('proven', async ({ sandbox, unproven }) => {
    await create(unproven, { displayName: 'The first' });
    await sandbox.forgetCalls();
    return unproven;
  });

async function create(layer: TestLayer, input: object) {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) {
      customer { id etag number displayName country } userErrors { code message }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.createCustomer;
}

const methods = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

/** The ids of the customers of a name, whatever was answered about them. */
async function idsOf(sandbox: TestSandbox, displayName: string): Promise<string[]> {
  const response = await sandbox.send('GET', '/sandbox/records?set=customers');
  const { records } = (await response.json()) as {
    records: { id: string; values: Record<string, string> }[];
  };
  return records.filter(({ values }) => values.displayName === displayName).map(({ id }) => id);
}

const input = { displayName: 'Brindle', country: 'no' };

const unknown = [{ code: 'OUTCOME_UNKNOWN' }];

const lost: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['answered 500', { status: 500, body: {} }],
  ['answered 502 by a gateway', { status: 502, body: '<html>Bad Gateway</html>' }],
  ['answered 503', { status: 503, body: {} }],
  ['answered 504', { status: 504 }],
  ['answered 408', { status: 408 }],
  ['answered with a page of HTML', { status: 201, body: '<html>Hello</html>' }],
  ['answered with an empty array', { status: 201, body: [] }],
  ['answered with a record that has no id', { status: 201, body: { displayName: 'Brindle' } }],
  ['answered with a redirect', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
];

const lostAfter = [
  ['whose connection broke', { reset: 'after' }] as const,
  ['whose answer was cut short', { cutAt: 60 }] as const,
  ...lost.map(([what, fault]) => [what, { ...fault, after: true }] as const),
];

const lostBefore = [['whose connection broke', { reset: 'before' }] as const, ...lost];

test.for(lostAfter)(
  'the first create of a process, %s though it was carried out, is found under its id: one POST, one GET and no error',
  async ([_what, fault], { unproven, sandbox }) => {
    await sandbox.fault({ method: 'POST', ...fault });

    const { customer, userErrors } = await create(unproven, input);

    expect(userErrors).toEqual([]);
    expect(customer).toMatchObject({ displayName: 'Brindle', country: 'NO' });
    expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
    const [post, look, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(JSON.parse(post?.body ?? '')).toEqual({ id: customer.id, ...input });
    expect(look).toMatchObject({ method: 'GET', status: 200 });
    expect(look?.path.startsWith(`${customers}(${customer.id})?`)).toBe(true);
  },
);

test.for(lostBefore)(
  'the first create of a process, %s and not carried out, is OUTCOME_UNKNOWN after one verification read, and never retried',
  async ([_what, fault], { unproven, sandbox }) => {
    await sandbox.fault({ method: 'POST', ...fault });

    expect(await create(unproven, input)).toMatchObject({ customer: null, userErrors: unknown });
    expect(await methods(sandbox)).toEqual(['POST', 'GET']);
    expect(await idsOf(sandbox, 'Brindle')).toEqual([]);
  },
);

test.for(lostAfter)(
  'where ids are proven to be kept, a create %s though it was carried out is found, and not retried',
  async ([_what, fault], { proven, sandbox }) => {
    await sandbox.fault({ method: 'POST', ...fault });

    const { customer, userErrors } = await create(proven, input);

    expect(userErrors).toEqual([]);
    expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
    expect(await methods(sandbox)).toEqual(['POST', 'GET']);
  },
);

test.for(lostBefore)(
  'where ids are proven to be kept, a create %s and not carried out is retried under its id: one record, no error',
  async ([_what, fault], { proven, sandbox }) => {
    await sandbox.fault({ method: 'POST', ...fault });

    const { customer, userErrors } = await create(proven, input);

    expect(userErrors).toEqual([]);
    expect(customer).toMatchObject({ displayName: 'Brindle', country: 'NO' });
    expect(await idsOf(sandbox, 'Brindle')).toEqual([customer.id]);
    const [first, look, second, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(look).toMatchObject({ method: 'GET', status: 404 });
    expect(second).toMatchObject({ method: 'POST', path: first?.path, body: first?.body });
  },
);

test('a lost create under a client-supplied id is found where the record with this id holds the input', async ({
  unproven,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', reset: 'after' });

  expect(await create(unproven, { id: chosen, ...input })).toMatchObject({
    customer: { id: chosen, displayName: 'Brindle' },
    userErrors: [],
  });
  expect(await methods(sandbox)).toEqual(['POST', 'GET']);
});

test('a lost create under a client-supplied id is OUTCOME_UNKNOWN where the record with this id is an older one, which is returned', async ({
  unproven,
  sandbox,
}) => {
  await sandbox.send('POST', customers, { id: chosen, displayName: 'Older' });
  await sandbox.forgetCalls();
  await sandbox.fault({ method: 'POST', reset: 'before' });

  expect(await create(unproven, { id: chosen, ...input })).toMatchObject({
    customer: { id: chosen, displayName: 'Older' },
    userErrors: unknown,
  });
  expect(await methods(sandbox)).toEqual(['POST', 'GET']);
});

test('the verification read of a lost create is retried while it fails', async ({ unproven, sandbox }) => {
  await sandbox.fault({ method: 'POST', reset: 'after' });
  await sandbox.fault({ method: 'GET', status: 503, body: {}, times: 2 });

  expect(await create(unproven, input)).toMatchObject({
    customer: { displayName: 'Brindle' },
    userErrors: [],
  });
  expect(await methods(sandbox)).toEqual(['POST', 'GET', 'GET', 'GET']);
});

test.for([
  ['is not allowed', { status: 403, body: {} }, 1],
  ['fails for long', { status: 503, body: {} }, 11],
] as const)(
  'a lost create is OUTCOME_UNKNOWN where the verification read of its id %s, and is not retried',
  async ([_what, fault, looks], { proven, sandbox }) => {
    // The pauses are random parts of a time that grows: none of each.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    await sandbox.fault({ method: 'POST', reset: 'before' });
    await sandbox.fault({ method: 'GET', ...fault, times: 100 });

    const payload = await create(proven, input);
    random.mockRestore();

    expect(payload).toMatchObject({ customer: null, userErrors: unknown });
    expect(await methods(sandbox)).toEqual(['POST', ...Array(looks).fill('GET')]);
  },
);

test('a verification read that returns another record does not settle the create', async ({
  unproven,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', reset: 'before' });
  await sandbox.fault({ method: 'GET', status: 200, body: { id: chosen, displayName: 'Another' } });

  expect(await create(unproven, input)).toMatchObject({ customer: null, userErrors: unknown });
  expect(await methods(sandbox)).toEqual(['POST', 'GET', 'GET']);
});
