import { expect, onTestFinished } from 'vitest';
import { startBeforeStub, test } from '../../support/layer.ts';

const times = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at)).join(' ');

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at));
const listing = 'query ($f: CustomerFilter) { company { customers(first: 1, filter: $f) { totalCount } } }';

test.for([
  ['entries of `in`', listing, { f: { number: { in: numbers(1_001) } } }],
  ['characters to compare with', listing, { f: { number: { in: ['x'.repeat(64_000)] } } }],
  [
    'terms of an order',
    'query ($o: [CustomerOrder!]) { company { customers(first: 1, orderBy: $o) { totalCount } } }',
    { o: Array(1_001).fill('NUMBER_ASC') },
  ],
  [
    'comparisons, by one variable in many places,',
    `query ($f: CustomerFilter) { company { ${times(11, (at) => `a${at}: customers(first: 1, filter: $f) { totalCount }`)} } }`,
    { f: { number: { in: numbers(100) } } },
  ],
] as const)(
  'more %s than an operation may have are rejected before anything is executed',
  async ([_what, query, variables], { layer, sandbox }) => {
    await sandbox.forgetCalls();

    const { errors } = await layer.query(query, variables);

    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['QUERY_TOO_COMPLEX']);
    expect(await sandbox.calls()).toEqual([]);
  },
);

test('of one caller sixteen lists are read and filtered at once, and beside them the list of another caller', async () => {
  const held: (() => void)[] = [];
  const hold = async () => {
    await new Promise<void>((resolve) => held.push(resolve));
    return { body: { value: [] } };
  };
  const { layer, stub } = await startBeforeStub(hold, { UPSTREAM_CALLS_PER_CALLER: '100' });
  onTestFinished(() => {
    for (const release of held) release();
  });
  const list = (day: number, token: string) =>
    layer.query(
      'query ($since: DateTime) { healthEvents(since: $since) { totalCount } }',
      { since: `2026-08-${day}T00:00:00Z` },
      { authorization: `Bearer ${token}` },
    );
  const ofOne = Array.from({ length: 17 }, (_, at) => list(10 + at, 'one'));
  await expect.poll(() => held.length).toBe(16);

  const ofOther = list(10, 'other');
  await expect.poll(() => held.length).toBe(17);
  held.pop()?.();
  expect((await ofOther).data.healthEvents.totalCount).toBe(0);
  expect(stub.requests).toHaveLength(17);

  held.pop()?.();
  await expect.poll(() => stub.requests.length).toBe(18);
  for (const release of held) release();
  for (const { data } of await Promise.all(ofOne)) expect(data.healthEvents.totalCount).toBe(0);
});

test('errors count for the size of the response before they are made', async () => {
  const idOf = (n: number) => `5d115c9c-44e3-4a11-bb43-${String(n).padStart(12, '0')}`;
  const customers = Array.from({ length: 1_000 }, (_, n) => ({ id: idOf(n), currencyId: idOf(n) }));
  const { layer } = await startBeforeStub(({ target }) =>
    target.includes('/customers')
      ? { body: { value: customers } }
      : { status: 403, body: { error: { code: 'Authorization', message: 'no' } } },
  );
  const failing = (names: number, id: string) =>
    layer.query(
      `{ company { customers(first: 1000) { nodes { id ${times(names, (at) => `a${at}: currency { code }`)} } } } }`,
      {},
      { 'x-request-id': id },
    );
  const failuresOf = (id: string) => layer.linesOf(id).filter(({ msg }) => msg === undefined);

  const few = await failing(2, 'few-names');
  const many = await failing(24, 'many-names');

  expect(few.errors).toHaveLength(2_000);
  expect(few.data.company.customers.nodes).toHaveLength(1_000);
  expect(failuresOf('few-names')).toEqual([
    expect.objectContaining({ code: 'FORBIDDEN', status: 403, times: 2_000 }),
  ]);
  expect(many.errors?.map(({ extensions }) => extensions.code)).toEqual(['QUERY_TOO_COMPLEX']);
  expect(failuresOf('many-names')).toEqual([]);
});
