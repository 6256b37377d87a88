import { expect } from 'vitest';
import { codesOf, entriesFor, shapesOf, storedIn, type Values } from '../../support/cases/every-input.ts';
import type { Json } from '../../support/json.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { type TestSandbox, testWithSandbox } from '../../support/sandbox.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

// What is decided by what the records show: test/unit/business/writing/transactions.test.ts.

/** Answers a batch in place of the upstream; `deliver` sends it on, with other headers where given. */
type Treat = (
  deliver: (headers?: Readonly<Record<string, string>>) => Promise<StubAnswer>,
  request: StubRequest,
) => Promise<StubAnswer>;

/** A sandbox behind an intermediary that treats batches as a test says. */
const test = testWithSandbox({ dialect: 'dynamics' })
  .extend('batches', async () => ({ treat: null as Treat | null }))
  .extend('intermediary', async ({ sandbox, batches }, { onCleanup }) => {
    const stub = await startStub(async (request) => {
      const deliver = async (headers: Readonly<Record<string, string>> = {}) => {
        const { host: _host, connection: _connection, 'content-length': _length, ...given } = request.headers;
        const sent = Object.entries({ ...given, ...headers }).filter(([, value]) => value !== '');
        const response = await fetch(sandbox.url + request.target, {
          method: request.method,
          headers: Object.fromEntries(sent) as Record<string, string>,
          ...(request.body !== '' && { body: request.body }),
        }).catch(() => null);
        if (response === null) return { isCut: true };
        const type = response.headers.get('content-type') ?? '';
        return { status: response.status, headers: { 'content-type': type }, body: await response.text() };
      };
      const isBatch = request.target.endsWith('$batch') && request.headers.isolation !== undefined;
      return isBatch && batches.treat ? batches.treat(deliver, request) : deliver();
    });
    onCleanup(() => stub.stop());
    return stub;
  })
  .extend('layer', async ({ intermediary }, { onCleanup }) => {
    const settings = { BUSINESS_DIALECT: 'dynamics', WRITE_TIMEOUT_MS: '2000' };
    const layer = await startTestLayer(intermediary.url, settings);
    onCleanup(() => layer.stop());
    return layer;
  });

/** Shows the layer that the upstream keeps the ids of employees. */
async function prove(layer: TestLayer) {
  const { data } = await layer.query('mutation { createEmployee(input: {}) { userErrors { code } } }');
  expect(data.createEmployee.userErrors).toEqual([]);
}

const newId = '00c0ffee-0000-4000-8000-00000000000b';

async function batch(layer: TestLayer, entries: readonly Values[]) {
  const { data, errors } = await layer.query(
    `mutation ($entries: [BatchEntryInput!]!) { batch(input: { atomic: true, entries: $entries }) { results {
      record { ... on Customer { id city } ... on Employee { id city } ... on SalesOrder { id customer { id } } }
      deletedId userErrors { code message path }
    } } }`,
    { entries },
  );
  return { results: data?.batch?.results, errors };
}

/** As the upstream would answer if it had carried out every part. */
function succeed({ body }: StubRequest): { responses: Json[] } {
  const { requests } = JSON.parse(body);
  return {
    responses: requests.map(({ id, method, url, body: values = {} }: Json) => {
      if (method === 'DELETE') return { id, status: 204, headers: {} };
      const key = /\(([^()]*)\)$/.exec(url)?.[1] ?? '00c0ffee-0000-4000-8000-000000000009';
      return { id, status: method === 'POST' ? 201 : 200, headers: {}, body: { id: key, ...values } };
    }),
  };
}

const parse = ({ body }: StubAnswer): { responses: Json[] } => JSON.parse(String(body));

const threeEntries = async (sandbox: TestSandbox): Promise<readonly Values[]> => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
  return [{ updateCustomer: customer }, { deleteEmployee: employee }, { createEmployee: { city: 'Oslo' } }];
};

const statesOf = async (sandbox: TestSandbox) =>
  JSON.stringify([await storedIn(sandbox, 'customers'), await storedIn(sandbox, 'employees')]);

const unknownThrice = ['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN'];

test('an atomic batch is one call that asks for one transaction', async ({ layer, sandbox }) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);

  const { results, errors } = await batch(layer, [
    { createCustomer: { id: newId, displayName: 'Brindle Trading' } },
    { createSalesOrder: { customerId: newId } },
    { updateCustomer: customer },
    { deleteEmployee: employee },
  ]);

  expect(errors).toBeUndefined();
  expect(results).toMatchObject([
    { record: { id: newId }, userErrors: [] },
    { record: { customer: { id: newId } }, userErrors: [] },
    { record: { city: 'ENTRY 0' }, userErrors: [] },
    { deletedId: employee?.id, userErrors: [] },
  ]);
  const [call] = await sandbox.calls();
  expect(call?.path).toMatch(/\$batch$/);
  expect(call?.headers).toMatchObject({ isolation: 'snapshot' });
  expect(call?.headers.prefer).toBeUndefined();
});

test('if one entry fails, nothing is changed: it has its reason, the others before and after it are CONFLICT', async ({
  layer,
  sandbox,
}) => {
  const [first, second] = await entriesFor(sandbox, 'updateCustomer', 2);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
  const before = [await storedIn(sandbox, 'customers'), await storedIn(sandbox, 'employees')];

  const { results, errors } = await batch(layer, [
    { createCustomer: { displayName: 'Brindle Trading' } },
    { deleteEmployee: employee },
    { updateCustomer: { ...first, ifMatch: 'W/"old"' } },
    { updateCustomer: second },
  ]);

  expect(errors).toBeUndefined();
  expect(codesOf(results)).toEqual(['CONFLICT', 'CONFLICT', 'STALE_RECORD', 'CONFLICT']);
  expect(results[0]).toMatchObject({
    record: null,
    deletedId: null,
    userErrors: [{ message: expect.stringContaining('one transaction') }],
  });
  expect(results[1].deletedId).toBeNull();
  expect(results[2]).toMatchObject({
    record: { id: first?.id },
    userErrors: [{ path: ['input', 'entries', '2', 'updateCustomer', 'ifMatch'] }],
  });
  expect([await storedIn(sandbox, 'customers'), await storedIn(sandbox, 'employees')]).toEqual(before);
  const [call, ...reads] = await sandbox.calls();
  expect(call?.parts?.map(({ status }) => status)).toEqual([201, 204, 409]);
  // The employee shows that nothing was carried out; the other is the stale entry.
  expect(reads.map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test('if one entry is invalid, nothing is sent', async ({ layer, sandbox }) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);

  const { results } = await batch(layer, [
    { updateCustomer: customer },
    { updateCustomer: { ...customer, patch: {} } },
  ]);

  expect(codesOf(results)).toEqual(['CONFLICT', 'INVALID_INPUT']);
  expect(await sandbox.calls()).toEqual([]);
});

test.for([
  [404, undefined, ['UPSTREAM_NOT_FOUND']],
  [405, ['REFUSED', 'REFUSED'], undefined],
  [501, ['REFUSED', 'REFUSED'], undefined],
] as const)(
  'without batches (%i) nothing is sent one by one',
  async ([status, userErrors, codes], { layer, sandbox }) => {
    await sandbox.fault({ path: '$batch', status, body: {} });

    const { results, errors } = await batch(layer, [{ createItem: {} }, { createItem: {} }]);

    expect(results && codesOf(results)).toEqual(userErrors);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(codes);
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test.for([
  ['before', ['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']],
  ['after', ['', '', 'OUTCOME_UNKNOWN']],
] as const)(
  'one whose connection is reset %s it is carried out is never sent again, as a whole or in parts: the records decide',
  async ([reset, codes], { layer, sandbox }) => {
    const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
    const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
    await sandbox.fault({ path: '$batch', reset });

    const { results } = await batch(layer, [
      { updateCustomer: customer },
      { deleteEmployee: employee },
      // It carries no id to find it by.
      { createEmployee: { city: 'Oslo' } },
    ]);

    expect(codesOf(results)).toEqual(codes);
    expect((await shapesOf(sandbox)).slice(1).every((shape) => /GET/.test(shape))).toBe(true);
  },
);

const lackings: readonly (readonly [what: string, change: (responses: Json[], index: number) => Json[]])[] = [
  ['absent', (responses, index) => responses.filter((_response, at) => at !== index)],
  ['without a status', (responses, index) => responses.with(index, { id: String(index) } as unknown as Json)],
  ['under the id of no part', (responses, index) => responses.with(index, { ...responses[index], id: '7' })],
];

test.for(lackings)(
  'if the answer to a part is %s, no entry is told as made unless its record shows it',
  async ([, change], { layer, sandbox, batches }) => {
    const entries = await threeEntries(sandbox);
    const before = await statesOf(sandbox);
    batches.treat = async (_deliver, request) => ({
      body: { responses: change(succeed(request).responses, 1) },
    });
    const { results: undone } = await batch(layer, entries);
    const after = await statesOf(sandbox);
    batches.treat = async (deliver) => ({ body: { responses: change(parse(await deliver()).responses, 1) } });
    const { results: made } = await batch(layer, entries);

    expect(codesOf(undone)).toEqual(unknownThrice);
    expect(after).toEqual(before);
    // The created one carries no id to find it by.
    expect(codesOf(made)).toEqual(['', '', 'OUTCOME_UNKNOWN']);
    expect(made[0].record.city).toBe('ENTRY 0');
  },
);

test('a transaction that is delivered twice is done if the record of a generated id proves it, else OUTCOME_UNKNOWN', async ({
  layer,
  sandbox,
  batches,
}) => {
  await prove(layer);
  batches.treat = async (deliver) => {
    await deliver();
    return deliver();
  };
  const [customer, other] = await entriesFor(sandbox, 'updateCustomer', 2);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);

  const proven = await batch(layer, [
    { createEmployee: { city: 'Oslo' } },
    { updateCustomer: customer },
    { deleteEmployee: employee },
  ]);
  const unproven = await batch(layer, [
    { updateCustomer: other },
    { createCustomer: { displayName: 'Ann' } },
  ]);

  expect(codesOf(proven.results)).toEqual(['', '', '']);
  expect(proven.results).toMatchObject([
    { record: { city: 'Oslo' } },
    { record: { city: 'ENTRY 0' } },
    { deletedId: employee?.id },
  ]);
  expect(codesOf(unproven.results)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
  expect(unproven.results[0]).toMatchObject({
    record: { city: 'ENTRY 1' },
    userErrors: [{ message: expect.stringContaining('Read the records of all entries') }],
  });
});

test('no entry is told as unchanged, if the header that asks for a transaction is lost', async ({
  layer,
  sandbox,
  batches,
}) => {
  const [first, second] = await entriesFor(sandbox, 'updateCustomer', 2);
  batches.treat = (deliver) => deliver({ isolation: '' });

  const { results } = await batch(layer, [
    { updateCustomer: first },
    { updateCustomer: { ...second, ifMatch: 'W/"old"' } },
  ]);

  expect(codesOf(results)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
  expect(results[0].record.city).toBe('ENTRY 0');
});

test('entries about one record are never read to show what each has done', async ({ layer, sandbox }) => {
  const [customer, other] = await entriesFor(sandbox, 'updateCustomer', 2);
  await sandbox.fault({ path: '$batch', reset: 'after' });

  const { results } = await batch(layer, [
    { updateCustomer: { ...customer, ifMatch: '*' } },
    { updateCustomer: { ...customer, ifMatch: '*', id: String(customer?.id).toUpperCase() } },
    { updateCustomer: other },
  ]);

  expect(codesOf(results)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN', '']);
  expect(await shapesOf(sandbox)).toEqual(['3 PATCH', 'GET']);
});
