import { describe, expect, onTestFinished, vi } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { storedIn } from '../../support/cases/every-input.ts';
import { inputTypeOf } from '../../support/input-types.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

// What is decided by what the records show: test/unit/business/writing/lost-writes.test.ts.

const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;
const id = '44444444-4444-4444-8444-444444444444';

type Mutation = 'createCustomer' | 'updateCustomer' | 'deleteCustomer';
type Settings = Readonly<Record<string, string>>;

/** A layer of its own for each test, since it remembers which entity sets keep client-supplied ids; and a customer to write. */
const testIn = (dialect: 'document' | 'dynamics') =>
  testWith({ dialect }, {})
    .extend('start', async ({ sandbox }, { onCleanup }) => {
      const layers: TestLayer[] = [];
      onCleanup(async () => void (await Promise.all(layers.map((layer) => layer.stop()))));
      return async (settings: Settings = {}) => {
        const layer = await startTestLayer(sandbox.url, { BUSINESS_DIALECT: dialect, ...settings });
        layers.push(layer);
        return layer;
      };
    })
    .extend('etag', async ({ sandbox }): Promise<string> => {
      const made = await sandbox.send('POST', customers, { id, displayName: 'Short-lived', city: 'Moss' });
      await sandbox.forgetCalls();
      return ((await made.json()) as Record<string, string>)['@odata.etag'] as string;
    });

const dialects = [
  ['document', testIn('document'), 412],
  ['dynamics', testIn('dynamics'), 409],
] as const;
const [[, test]] = dialects;

async function mutate(layer: TestLayer, mutation: Mutation, input: object) {
  const { data, errors } = await layer.query(
    `mutation ($input: ${inputTypeOf(mutation)}!) { ${mutation}(input: $input) {
      customer { id etag displayName city } userErrors { code }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  const { customer, userErrors } = data[mutation];
  return { customer, code: userErrors[0]?.code ?? null };
}

/** Shows the layer that the upstream keeps the ids of customers. */
async function prove(layer: TestLayer, sandbox: TestSandbox) {
  expect((await mutate(layer, 'createCustomer', { displayName: 'The first' })).code).toBeNull();
  await sandbox.forgetCalls();
}

const create = { displayName: 'Brindle', city: 'Oslo' };
const inputs = (etag: string) =>
  [
    ['createCustomer', 'POST', create],
    ['updateCustomer', 'PATCH', { id, ifMatch: etag, patch: { city: 'Oslo' } }],
    ['deleteCustomer', 'DELETE', { id, ifMatch: etag }],
  ] as const;

const methods = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

/** The customers that a test writes, as they are stored. */
const written = async (sandbox: TestSandbox) =>
  (await storedIn(sandbox, 'customers'))
    .filter(({ values }) => ['Brindle', 'Short-lived'].includes(String(values.displayName)))
    .map(({ values, version }) => [values.displayName, values.city, version]);

/** No pauses between attempts: they are random parts of a time that grows. */
function withoutPauses() {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
}

describe.each(dialects)('in the dialect %s', (dialect, test, stale) => {
  const reading = dialect === 'dynamics' ? { 'data-access-intent': 'ReadWrite' } : {};

  test.for([0, 1, 2])(
    'a write that was carried out, but whose response is lost, is found by reads of the primary (%i)',
    async (kind, { start, sandbox, etag }) => {
      const layer = await start();
      const [mutation, method, input] = inputs(etag)[kind] as ReturnType<typeof inputs>[number];
      await sandbox.lag(dialect === 'dynamics');
      await sandbox.fault({ method, reset: 'after' });

      const { customer, code } = await mutate(layer, mutation, input);

      expect([code, customer?.city]).toEqual([null, mutation === 'deleteCustomer' ? undefined : 'Oslo']);
      const [sent, ...reads] = await sandbox.calls();
      expect(sent?.method).toBe(method);
      // That a record is gone is shown by its set, too.
      expect(reads).toMatchObject(
        Array(mutation === 'deleteCustomer' ? 2 : 1).fill({ method: 'GET', headers: reading }),
      );
    },
  );

  test.for([0, 1, 2])(
    'a write that was not carried out is sent again as it was, and carried out once (%i)',
    async (kind, { start, sandbox, etag }) => {
      const layer = await start();
      await prove(layer, sandbox);
      const [mutation, method, input] = inputs(etag)[kind] as ReturnType<typeof inputs>[number];
      await sandbox.fault({ method, reset: 'before' });

      const { code } = await mutate(layer, mutation, input);

      expect(code).toBeNull();
      const [first, read, second, ...others] = await sandbox.calls();
      expect(others).toEqual([]);
      expect([first?.method, read?.method]).toEqual([method, 'GET']);
      const { path, body, headers } = first ?? {};
      expect(second).toMatchObject({ method, path, body });
      expect(second?.headers['if-match']).toBe(headers?.['if-match']);
      expect(headers?.['if-match']).toBe(mutation === 'createCustomer' ? undefined : etag);
      const kept = ['Short-lived', mutation === 'updateCustomer' ? 'Oslo' : 'Moss'];
      expect((await written(sandbox)).map(([name, city]) => [name, city])).toEqual(
        { createCustomer: [kept, ['Brindle', 'Oslo']], updateCustomer: [kept], deleteCustomer: [] }[mutation],
      );
    },
  );

  test('a write whose record shows nothing is OUTCOME_UNKNOWN, and sent once', async ({
    start,
    sandbox,
    etag,
  }) => {
    const layer = await start();
    await sandbox.fault({ method: 'POST', reset: 'before' });
    // Nothing proves yet that ids are kept.
    const created = await mutate(layer, 'createCustomer', create);
    await sandbox.send('PATCH', `${customers}(${id})`, { city: 'Bergen' }, { 'if-match': etag });
    await sandbox.fault({ method: 'PATCH', reset: 'before' });
    const updated = await mutate(layer, 'updateCustomer', inputs(etag)[1][2]);
    await sandbox.fault({ method: 'DELETE', reset: 'before' });
    const error = { code: 'BadRequest_ResourceNotFound', message: 'Resource not found for the segment.' };
    await sandbox.fault({ path: '/customers', status: 404, times: 1_000, body: { error } });
    withoutPauses();
    const removed = await mutate(layer, 'deleteCustomer', inputs(etag)[2][2]);

    expect([created, removed]).toEqual(Array(2).fill({ customer: null, code: 'OUTCOME_UNKNOWN' }));
    expect(updated).toMatchObject({ customer: { city: 'Bergen' }, code: 'OUTCOME_UNKNOWN' });
    expect(await written(sandbox)).toHaveLength(1);
  });

  test('a first attempt that arrives after the second changes nothing', async ({ start, sandbox, etag }) => {
    const layer = await start({ WRITE_TIMEOUT_MS: '150' });
    await prove(layer, sandbox);
    await sandbox.fault({ method: 'PATCH', lateMs: 350 });
    const updated = await mutate(layer, 'updateCustomer', inputs(etag)[1][2]);
    await sandbox.fault({ method: 'POST', lateMs: 350 });
    const created = await mutate(layer, 'createCustomer', create);

    expect([updated.code, created.code]).toEqual([null, null]);
    const refused = async () =>
      (await sandbox.calls())
        .filter(({ status }) => status >= 400 && status !== 404)
        .map(({ status }) => status);
    await expect.poll(refused).toEqual([stale, dialect === 'dynamics' ? 400 : 409]);
    expect(await written(sandbox)).toEqual([
      ['Short-lived', 'Oslo', 2],
      ['Brindle', 'Oslo', 1],
    ]);
  });

  test('what an intermediary delivers twice is made once, and told as it is', async ({
    start,
    sandbox,
    etag,
  }) => {
    const layer = await start();
    const told = [];
    for (const [mutation, method, input] of inputs(etag)) {
      await sandbox.fault({ method, repeat: true });
      told.push((await mutate(layer, mutation, input)).code);
      if (mutation === 'updateCustomer')
        expect(await written(sandbox)).toContainEqual(['Short-lived', 'Oslo', 2]);
      if (mutation === 'updateCustomer') await sandbox.send('PATCH', `${customers}(${id})`, { city: 'X' });
    }
    await sandbox.fault({ method: 'DELETE', repeat: true });
    const again = await mutate(layer, 'deleteCustomer', { id, ifMatch: '*' });

    // The second delivery of a delete finds no record.
    expect([...told, again.code]).toEqual([null, null, 'STALE_RECORD', 'NOT_FOUND']);
    expect((await written(sandbox)).map(([name]) => name)).toEqual(['Brindle']);
  });
});

const page = '<html>Hello</html>';
const responses: readonly (readonly [string, object])[] = [
  ['503', { status: 503, body: {} }],
  ['408', { status: 408 }],
  ['202', { status: 202, body: '' }],
  ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
  ['a page', { status: 200, body: page }],
  ['a record without an id', { status: 200, body: { city: 'Oslo' } }],
  ['a record too long', { status: 200, bytes: 100_000 }],
  ['a part', { cutAt: 60 }],
];

test.for(responses)(
  'after a response of %s the record decides',
  async ([, fault], { start, sandbox, etag }) => {
    const layer = await start({ MAX_RESPONSE_BYTES: '16384' });
    const told = [];
    for (const [mutation, method, input] of inputs(etag)) {
      await sandbox.fault({ method, after: true, ...fault });
      const ifMatch = mutation === 'deleteCustomer' ? { ifMatch: '*' } : {};
      told.push((await mutate(layer, mutation, { ...input, ...ifMatch })).code);
    }

    expect(told).toEqual([null, null, null]);
    const writes = (await methods(sandbox)).filter((method) => method !== 'GET');
    expect(writes).toEqual(['POST', 'PATCH', 'DELETE']);
    expect(await written(sandbox)).toEqual([['Brindle', 'Oslo', 1]]);
  },
);

test('a response with another record does not count as that of an update', async ({
  start,
  sandbox,
  etag,
}) => {
  const layer = await start();
  const other = { id: id.replaceAll('4', '5'), '@odata.etag': '"x"', city: 'Oslo' };
  await sandbox.fault({ method: 'PATCH', status: 200, body: other });
  await sandbox.fault({ method: 'GET', status: 200, body: other });

  const { customer, code } = await mutate(layer, 'updateCustomer', inputs(etag)[1][2]);

  expect([customer.id, code]).toEqual([id, null]);
  expect(await methods(sandbox)).toEqual(['PATCH', 'GET', 'GET', 'PATCH']);
});

test.for([
  ['fails', { status: 503, body: {} }, true],
  ['is throttled', { status: 429, headers: { 'retry-after': '0' }, body: {} }, true],
  ['is answered with a page', { status: 200, body: page }, true],
  ['is unauthenticated', { status: 401, body: {} }, false],
  ['is rejected', { status: 400, body: {} }, false],
  ['is throttled for more than a minute', { status: 429, headers: { 'retry-after': '61' }, body: {} }, false],
] as const)(
  'a read that looks for a lost write and %s is repeated, unless it can only fail again',
  async ([, fault, isRepeated], { start, sandbox, etag }) => {
    const layer = await start();
    withoutPauses();
    await sandbox.fault({ method: 'PATCH', reset: 'after' });
    await sandbox.fault({ method: 'GET', ...fault, times: isRepeated ? 2 : 100 });

    const { customer, code } = await mutate(layer, 'updateCustomer', inputs(etag)[1][2]);

    expect([customer?.city, code]).toEqual(isRepeated ? ['Oslo', null] : [undefined, 'OUTCOME_UNKNOWN']);
    expect(await methods(sandbox)).toEqual(['PATCH', ...Array(isRepeated ? 3 : 1).fill('GET')]);
  },
);

test('a lost update is verified by its fields though they are not selected', async ({
  start,
  sandbox,
  etag,
}) => {
  const layer = await start();
  await sandbox.fault({ method: 'PATCH', reset: 'after' });

  const { data } = await layer.query(
    'mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { userErrors { code } } }',
    { input: { id, ifMatch: etag, patch: { website: 'example.com', creditLimit: '12.50' } } },
  );

  expect(data.updateCustomer.userErrors).toEqual([]);
  const [, read, ...others] = await sandbox.calls();
  expect(others).toEqual([]);
  expect(read?.path).toBe(`${customers}(${id})?$select=id,website,creditLimit`);
});

test('a lost order is found with its lines in one call', async ({ start, sandbox }) => {
  const layer = await start();
  const line = { lineType: 'Item', itemNo: '1004', quantity: '1.50', unitPrice: '1234567890123456.789' };
  await sandbox.fault({ method: 'POST', reset: 'after' });

  const { data } = await layer.query(
    `mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) {
      salesOrder { id documentLines { unitPrice } } userErrors { code }
    } }`,
    { input: { customerNumber: 'C10000', documentLines: [line, line] } },
  );

  const { salesOrder, userErrors } = data.createSalesOrder;
  const { unitPrice } = line;
  expect([salesOrder.documentLines, userErrors]).toEqual([[{ unitPrice }, { unitPrice }], []]);
  const [, read, ...others] = await sandbox.calls();
  expect(others).toEqual([]);
  expect(read?.path).toContain('$expand=salesOrderLines(');
});
