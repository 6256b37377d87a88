import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import type { Json } from '../../support/json.ts';
import { type TestLayer, test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const list = `query ($first: Int, $after: String, $filter: CustomerFilter, $orderBy: [CustomerOrder!], $company: UUID) {
  company(id: $company) {
    customers(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      totalCount nodes { id city number } pageInfo { hasNextPage endCursor }
    }
  }
}`;

/** The options of every call, as they read once decoded. */
async function asked(sandbox: TestSandbox, ...options: string[]) {
  const queries = (await sandbox.calls()).map(({ path }) => new URLSearchParams(path.split('?')[1]));
  return queries.map((query) => options.map((option) => query.get(option)));
}

test('a cursor is valid for its own filter, order and company, and for no other', async ({
  layer,
  sandbox,
}) => {
  const own = { filter: { taxLiable: { eq: true } }, orderBy: ['CITY_DESC'] };
  const companies = await layer.query('{ companies { nodes { id } } }');
  const other = companies.data.companies.nodes.find(({ id }: Json) => id !== sandboxCompanyId).id;
  const { data } = await layer.query(list, { ...own, first: 3 });
  const after = data.company.customers.pageInfo.endCursor;
  await sandbox.forgetCalls();

  for (const changed of [
    { filter: { taxLiable: { eq: false } } },
    { filter: null },
    { filter: { number: { in: [] } } },
    { filter: { or: [] } },
    { orderBy: ['CITY_ASC'] },
    { orderBy: [...own.orderBy, 'NUMBER_ASC'] },
    { orderBy: [] },
    { company: other },
  ]) {
    const { data, errors } = await layer.query(list, { ...own, after, ...changed });
    expect(errors, JSON.stringify(changed)).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect((data?.company ?? { customers: null }).customers).toBeNull();
  }
  expect(await sandbox.calls()).toEqual([]);
  // What asks the same upstream is the same list, however it is written.
  const same = await layer.query(list, {
    orderBy: own.orderBy,
    filter: { not: { taxLiable: { ne: true } } },
    after,
  });
  expect(same.errors).toBeUndefined();
});

test('one list under aliases with different conditions is requested once for each condition', async ({
  layer,
  sandbox,
}) => {
  const { data } = await layer.query(`{ company {
    a: customers(first: 3, filter: { type: { eq: "Person" } }) { nodes { type } }
    b: customers(first: 3, filter: { type: { eq: "Company" } }) { nodes { type } }
    c: customers(first: 3, filter: { type: { eq: "Person" } }, orderBy: [NUMBER_ASC]) { nodes { type } }
    d: customers(first: 3, filter: { type: { eq: "Person" } }) { nodes { type } }
  } }`);

  const types = Object.values(data.company).map(
    (page: Json) => new Set(page.nodes.map(({ type }: Json) => type)),
  );
  expect(types).toEqual(['Person', 'Company', 'Person', 'Person'].map((type) => new Set([type])));
  expect((await asked(sandbox, '$filter', '$orderby')).sort()).toEqual([
    ["type eq 'Company'", null],
    ["type eq 'Person'", null],
    ["type eq 'Person'", 'number'],
  ]);
});

async function find(layer: TestLayer, filter: object): Promise<Json> {
  const data = await layer.read(
    `query ($filter: CustomerFilter) { company { customers(first: 1000, filter: $filter) {
      totalCount nodes { displayName type city website balanceDue blocked }
    } } }`,
    { filter },
  );
  return data.company.customers;
}

const owes = (row: Json, from: number, to: number) => +row.balanceDue > from && +row.balanceDue < to;

/** A filter, and the same condition on what the records show. */
type Case = readonly [filter: object, holds: (row: Json) => unknown];

test.for<Case>([
  [{ displayName: { eq: "O'Dwyer & Sons Outfitters" } }, (row) => row.displayName.startsWith("O'D")],
  [{ website: { eq: null } }, (row) => row.website === null],
  [{ blocked: { eq: null } }, (row) => row.blocked === null],
  [{ not: { not: { balanceDue: { gt: 1000, lt: 2000 } } } }, (row) => owes(row, 1000, 2000)],
  [
    { or: [{ type: { eq: 'Person' }, balanceDue: { gt: 1000 } }, { city: { startsWith: 'S' } }] },
    (row) => (row.type === 'Person' && +row.balanceDue > 1000) || row.city.startsWith('S'),
  ],
])('records that match %j are found and counted, and no others', async ([filter, holds], { layer }) => {
  const all = await find(layer, {});
  const expected = all.nodes.filter(holds);

  expect(await find(layer, filter)).toEqual({ totalCount: expected.length, nodes: expected });
  // A condition that all or none meet would prove little.
  expect(expected.length).toBeGreaterThan(0);
  expect(expected.length).toBeLessThan(all.totalCount);
});

test('a filter that nothing matches is an empty list without an upstream call', async ({
  layer,
  sandbox,
}) => {
  expect(await find(layer, { or: [] })).toEqual({ totalCount: 0, nodes: [] });
  expect(await sandbox.calls()).toEqual([]);
});
