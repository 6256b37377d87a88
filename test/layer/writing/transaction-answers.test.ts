import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { codesOf, entriesFor, storedIn, type Values } from '../../support/cases/every-input.ts';
import type { Json } from '../../support/json.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { type TestSandbox, testWithSandbox } from '../../support/sandbox.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

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
        });
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
  })
  // The set of employees is proven to keep client-supplied ids.
  .extend('proven', async ({ layer }) => {
    const { data } = await layer.query('mutation { createEmployee(input: {}) { userErrors { code } } }');
    expect(data.createEmployee.userErrors).toEqual([]);
    return layer;
  });

async function batch(layer: TestLayer, entries: readonly Values[]): Promise<Json> {
  const { data, errors } = await layer.query(
    `mutation ($entries: [BatchEntryInput!]!) { batch(input: { atomic: true, entries: $entries }) { results {
      record { ... on Customer { id city } ... on Employee { id city } }
      deletedId userErrors { code message path }
    } } }`,
    { entries },
  );
  expect(errors).toBeUndefined();
  return data.batch.results;
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

const lackings: readonly (readonly [what: string, change: (responses: Json[], index: number) => Json[]])[] = [
  ['absent', (responses, index) => responses.filter((_response, at) => at !== index)],
  ['null', (responses, index) => responses.with(index, null as unknown as Json)],
  ['without a status', (responses, index) => responses.with(index, { id: String(index) } as unknown as Json)],
  ['under the id of no part', (responses, index) => responses.with(index, { ...responses[index], id: '7' })],
  ['cut off with those behind it', (responses, index) => responses.slice(0, index)],
];

test.for(lackings.flatMap(([what, change]) => [0, 1, 2].map((index) => [index, what, change] as const)))(
  'if the answer to part %i is %s and nothing was carried out, all entries are OUTCOME_UNKNOWN',
  async ([index, , change], { layer, sandbox, batches }) => {
    const entries = await threeEntries(sandbox);
    const before = await statesOf(sandbox);
    batches.treat = async (_deliver, request) => ({
      body: { responses: change(succeed(request).responses, index) },
    });

    const results = await batch(layer, entries);

    expect(codesOf(results)).toEqual(unknownThrice);
    expect(await statesOf(sandbox)).toEqual(before);
  },
);

test.for(lackings.flatMap(([what, change]) => [0, 1, 2].map((index) => [index, what, change] as const)))(
  'if the answer to part %i is %s, the records show what was carried out',
  async ([index, , change], { layer, sandbox, batches }) => {
    const entries = await threeEntries(sandbox);
    batches.treat = async (deliver) => ({
      body: { responses: change(parse(await deliver()).responses, index) },
    });

    const results = await batch(layer, entries);

    // The created one carries no id to find it by.
    expect(codesOf(results)).toEqual(['', '', 'OUTCOME_UNKNOWN']);
    expect(results[0].record.city).toBe('ENTRY 0');
  },
);

test.for([500, 503, 504])(
  'if part 1 failed with %i, no entry is told as unchanged',
  async (status, { layer, sandbox, batches }) => {
    const entries = await threeEntries(sandbox);
    batches.treat = async (_deliver, request) => {
      const { responses } = succeed(request);
      return { body: { responses: responses.slice(0, 2).with(1, { id: '1', status, body: {} }) } };
    };

    expect(codesOf(await batch(layer, entries))).toEqual(unknownThrice);
  },
);

test('a record that was missing before is not told as deleted by a transaction that was rolled back', async ({
  layer,
  sandbox,
  batches,
}) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
  await sandbox.send(
    'DELETE',
    `/api/v2.0/companies(${sandboxCompanyId})/employees(${employee?.id})`,
    undefined,
    {
      'if-match': '*',
    },
  );
  batches.treat = async (deliver) => {
    await deliver();
    return { isCut: true };
  };

  const results = await batch(layer, [{ updateCustomer: customer }, { deleteEmployee: employee }]);

  expect(codesOf(results)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
  expect(results[1].deletedId).toBeNull();
});

test('a transaction that is delivered twice is done, if the record of a generated id proves it', async ({
  proven,
  sandbox,
  batches,
}) => {
  const [customer] = await entriesFor(sandbox, 'updateCustomer', 1);
  const [employee] = await entriesFor(sandbox, 'deleteEmployee', 1);
  batches.treat = async (deliver) => {
    await deliver();
    return deliver();
  };

  const results = await batch(proven, [
    { createEmployee: { city: 'Oslo' } },
    { updateCustomer: customer },
    { deleteEmployee: employee },
  ]);

  expect(codesOf(results)).toEqual(['', '', '']);
  expect(results).toMatchObject([
    { record: { city: 'Oslo' } },
    { record: { city: 'ENTRY 0' } },
    { deletedId: employee?.id },
  ]);
});

test('a transaction that is delivered twice is OUTCOME_UNKNOWN with its records, if nothing else proves it', async ({
  layer,
  sandbox,
  batches,
}) => {
  const entries = await threeEntries(sandbox);
  batches.treat = async (deliver) => {
    await deliver();
    return deliver();
  };

  const results = await batch(layer, entries);

  expect(codesOf(results)).toEqual(unknownThrice);
  expect(results[0]).toMatchObject({
    record: { city: 'ENTRY 0' },
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

  const results = await batch(layer, [
    { updateCustomer: first },
    { updateCustomer: { ...second, ifMatch: 'W/"old"' } },
  ]);

  expect(codesOf(results)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
  expect(results[0].record.city).toBe('ENTRY 0');
});

test('at most three records are read to find out whether a refused transaction was carried out', async ({
  layer,
  sandbox,
}) => {
  const customers = await entriesFor(sandbox, 'updateCustomer', 8);
  const stale = { updateCustomer: { ...customers[7], ifMatch: 'W/"old"' } };
  // Of a change of any version, a record does not show whether it was carried out.
  const others = customers.slice(0, 7).map((entry) => ({ updateCustomer: { ...entry, ifMatch: '*' } }));

  const results = await batch(layer, [...others, stale]);

  expect(codesOf(results)).toEqual([...others.map(() => 'CONFLICT'), 'STALE_RECORD']);
  const methods = (await sandbox.calls()).map(({ method }) => method);
  expect(methods).toEqual(['POST', 'GET', 'GET', 'GET', 'GET']);
});

test.for([
  ['removed the header that asks for a transaction', true],
  ['delivered the transaction twice', false],
] as const)(
  'if an intermediary %s, deletes whose records are gone are OUTCOME_UNKNOWN',
  async ([, isStripped], { layer, sandbox, batches }) => {
    const entries = await entriesFor(sandbox, 'deleteEmployee', 3);
    // Without a transaction the first is carried out, though the second is refused.
    const sent = isStripped ? entries.with(1, { ...entries[1], ifMatch: 'W/"old"' }) : entries;
    batches.treat = async (deliver) => {
      if (!isStripped) await deliver();
      return deliver(isStripped ? { isolation: '' } : {});
    };

    const results = await batch(
      layer,
      sent.map((deleteEmployee) => ({ deleteEmployee })),
    );

    expect(codesOf(results)).toEqual(unknownThrice);
  },
);
