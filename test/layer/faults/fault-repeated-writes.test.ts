import { describe, expect, vi } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import { startRepeatingProxy } from '../../support/proxies/repeating-proxy.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;
const chosen = '44444444-4444-4444-8444-444444444444';

const testIn = (dialect: 'document' | 'dynamics') =>
  testWith({ dialect }, {})
    .extend('proxy', async ({ sandbox }, { onCleanup }) => {
      const proxy = await startRepeatingProxy(sandbox.url);
      onCleanup(() => proxy.stop());
      return proxy;
    })
    .extend('proven', async ({ sandbox, proxy }, { onCleanup }) => {
      const layer = await startTestLayer(proxy.url, { BUSINESS_DIALECT: dialect, WRITE_TIMEOUT_MS: '2000' });
      onCleanup(() => layer.stop());
      await create(layer, { displayName: 'The first' });
      await sandbox.forgetCalls();
      return layer;
    });

const inDocument = testIn('document');
const inDynamics = testIn('dynamics');

async function ask(layer: TestLayer, mutation: string, type: string, input: object) {
  const { data, errors } = await layer.query(
    `mutation ($input: ${type}Input!) { ${mutation}(input: $input) {
      customer { id etag number displayName city } userErrors { code }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data[mutation];
}

const create = (layer: TestLayer, input: object) => ask(layer, 'createCustomer', 'CreateCustomer', input);
const update = (layer: TestLayer, input: object) => ask(layer, 'updateCustomer', 'UpdateCustomer', input);

const methods = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

async function stored(sandbox: TestSandbox, displayName: string) {
  const response = await sandbox.send('GET', '/sandbox/records?set=customers');
  const { records } = (await response.json()) as {
    records: { id: string; values: Record<string, string> }[];
  };
  return records.filter(({ values }) => values.displayName === displayName);
}

const own = { displayName: 'Brindle' };
const numbered = { ...own, number: 'BRINDLE-1' };

describe.each([
  ['document', inDocument],
  ['dynamics', inDynamics],
] as const)('behind an intermediary, in the dialect %s,', (dialect, test) => {
  test.for([
    ['without a number', own],
    ['with a number', numbered],
  ] as const)(
    'a create %s that is delivered twice succeeds, though the second delivery is refused for its key',
    async ([_what, input], { proven, proxy, sandbox }) => {
      proxy.repeat('POST');

      const { customer, userErrors } = await create(proven, input);

      expect(userErrors).toEqual([]);
      expect((await stored(sandbox, 'Brindle')).map(({ id }) => id)).toEqual([customer.id]);
      expect(await methods(sandbox)).toEqual(['POST', 'POST', 'GET']);
    },
  );

  test('a create under a client-supplied id that is delivered twice is ALREADY_EXISTS with the record', async ({
    proven,
    proxy,
    sandbox,
  }) => {
    proxy.repeat('POST');

    expect(await create(proven, { ...own, id: chosen })).toMatchObject({
      customer: { id: chosen, displayName: 'Brindle' },
      userErrors: [{ code: 'ALREADY_EXISTS' }],
    });
    expect(await stored(sandbox, 'Brindle')).toHaveLength(1);
  });

  test.for([
    ['without a number', own],
    ['with a number', numbered],
  ] as const)(
    'a lost create %s that reads do not return for 300 ms is executed once, and read until it is returned',
    async ([_what, input], { proven, proxy, sandbox }) => {
      await sandbox.fault({ method: 'POST', reset: 'after' });
      proxy.hide(300);

      const { customer, userErrors } = await create(proven, input);

      expect(userErrors).toEqual([]);
      expect((await stored(sandbox, 'Brindle')).map(({ id }) => id)).toEqual([customer.id]);
      expect((await methods(sandbox)).filter((method) => method === 'POST')).toHaveLength(2);
    },
  );

  test.for([
    ['without a number', own],
    ['with a number', numbered],
  ] as const)(
    'a lost create %s that no read returns is OUTCOME_UNKNOWN, never ALREADY_EXISTS',
    async ([_what, input], { proven, proxy, sandbox }) => {
      // No pauses between the looks.
      const random = vi.spyOn(Math, 'random').mockReturnValue(0);
      await sandbox.fault({ method: 'POST', reset: 'after' });
      proxy.hide(60_000);

      const payload = await create(proven, input);
      random.mockRestore();

      expect(payload).toEqual({ customer: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
      expect(await stored(sandbox, 'Brindle')).toHaveLength(1);
    },
  );

  test('an update that is delivered twice succeeds, though the second delivery is refused for its tag', async ({
    proven,
    proxy,
    sandbox,
  }) => {
    const { customer } = await create(proven, own);
    proxy.repeat('PATCH');
    await sandbox.forgetCalls();

    const { id, etag } = customer;
    const payload = await update(proven, { id, ifMatch: etag, patch: { city: 'Bergen' } });

    expect(payload).toMatchObject({ customer: { id, city: 'Bergen' }, userErrors: [] });
    expect(payload.customer.etag).not.toBe(etag);
    expect(await methods(sandbox)).toEqual(['PATCH', 'PATCH', 'GET']);
  });

  test('a delete that is delivered twice is never reported as failed, though its set fails the first time', async ({
    proven,
    proxy,
    sandbox,
  }) => {
    const { customer } = await create(proven, own);
    proxy.repeat('DELETE');
    await sandbox.fault({ method: 'GET', path: '/customers', status: 503, times: 1 });
    await sandbox.forgetCalls();

    const { data, errors } = await proven.query(
      'mutation ($id: UUID!) { deleteCustomer(input: { id: $id, ifMatch: "*" }) { userErrors { code } } }',
      { id: customer.id },
    );

    expect(errors).toBeUndefined();
    expect(data.deleteCustomer.userErrors).toEqual([{ code: 'NOT_FOUND' }]);
    expect(await stored(sandbox, 'Brindle')).toEqual([]);
  });

  test('a delete that is delivered twice is OUTCOME_UNKNOWN where only its set could prove it, and the set fails', async ({
    proven,
    proxy,
    sandbox,
  }) => {
    const { customer } = await create(proven, own);
    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    proxy.repeat('DELETE');
    await sandbox.fault({ method: 'GET', path: '/customers', status: 503, times: 1_000 });

    const { data } = await proven.query(
      'mutation ($id: UUID!) { deleteCustomer(input: { id: $id, ifMatch: "*" }) { userErrors { code } } }',
      { id: customer.id },
    );
    random.mockRestore();

    // The document's word proves it without the set.
    const code = dialect === 'document' ? 'NOT_FOUND' : 'OUTCOME_UNKNOWN';
    expect(data.deleteCustomer.userErrors).toEqual([{ code }]);
  });

  test('an update refused because of another change since is still STALE_RECORD, and not applied', async ({
    proven,
    sandbox,
  }) => {
    const { customer } = await create(proven, own);
    const { id, etag } = customer;
    await sandbox.send('PATCH', `${customers}(${id})`, { city: 'Oslo' }, { 'if-match': '*' });

    expect(await update(proven, { id, ifMatch: etag, patch: { city: 'Bergen' } })).toMatchObject({
      customer: { city: 'Oslo' },
      userErrors: [{ code: 'STALE_RECORD' }],
    });
  });
});

inDocument(
  'proof that one company keeps client-supplied ids does not apply to another, which drops them: a lost create is sent once',
  async ({ proven, sandbox }) => {
    const { data } = await proven.query('{ companies { nodes { id } } }');
    const companyId = data.companies.nodes.find(({ id }: { id: string }) => id !== sandboxCompanyId).id;
    await sandbox.send('POST', '/sandbox/chosen-ids', { customers: 'drop' });
    await sandbox.fault({ method: 'POST', reset: 'after' });
    await sandbox.forgetCalls();

    const payload = await create(proven, { ...own, companyId });

    expect(payload).toEqual({ customer: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    expect(await methods(sandbox)).toEqual(['POST', 'GET']);
  },
);
