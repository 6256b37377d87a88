import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { derivedGuid } from '../../../sandbox/seeded.ts';
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

const badInput = (message: string) => [
  { message: expect.stringContaining(message), extensions: { code: 'BAD_USER_INPUT' } },
];

test('the documented filter reaches the upstream byte for byte', async ({ layer, sandbox }) => {
  await layer.query(
    '{ company { customers(filter: { lastModifiedDateTime: { gt: "2025-02-01T00:00:00Z" } }) { nodes { number } } } }',
  );

  expect((await sandbox.calls()).map(({ path }) => path)).toEqual([
    `/api/v2.0/companies(${sandboxCompanyId})/customers?$filter=lastModifiedDateTime%20gt%202025-02-01T00:00:00Z&$select=id,number`,
  ]);
});

test('records are returned in the requested order, the first sort key first, unset values first', async ({
  layer,
  sandbox,
}) => {
  const { data, errors } = await layer.query(`{ company {
    up: customers(first: 300, orderBy: [CITY_ASC, NUMBER_DESC]) { nodes { city number } }
    down: customers(first: 300, orderBy: [BALANCE_DUE_DESC]) { nodes { balanceDue } }
    unset: customers(first: 300, orderBy: [ADDRESS_LINE_2_ASC]) { nodes { addressLine2 } }
  } }`);

  expect(errors).toBeUndefined();
  const { up, down, unset } = data.company;
  const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  expect(up.nodes).toEqual(
    up.nodes.toSorted((a: Json, b: Json) => compare(a.city, b.city) || compare(b.number, a.number)),
  );
  expect(new Set(up.nodes.map(({ city }: Json) => city)).size).toBeLessThan(300);
  expect(down.nodes).toEqual(down.nodes.toSorted((a: Json, b: Json) => b.balanceDue - a.balanceDue));
  const second = unset.nodes.map(({ addressLine2 }: Json) => addressLine2 ?? '');
  expect(second).toEqual(second.toSorted(compare));
  expect(second[0]).toBe('');
  expect((await asked(sandbox, '$orderby')).flat().sort()).toEqual([
    'addressLine2',
    'balanceDue desc',
    'city,number desc',
  ]);
});

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
    expect(errors, JSON.stringify(changed)).toMatchObject(badInput('`after` is not a cursor of this list'));
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

const items = `query ($version: ItemVersion, $filter: ItemFilter, $orderBy: [ItemOrder!], $after: String) {
  company { items(first: 5, version: $version, filter: $filter, orderBy: $orderBy, after: $after) {
    nodes { number baseUnitOfMeasure { unitName } } pageInfo { endCursor }
  } }
}`;

const shapes = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ path }) => /\/api\/(v\d\.0)\//.exec(path)?.[1]);

test.for([
  [{ filter: { itemCategoryCode: { eq: 'CHAIR' } } }, 'itemCategoryCode', ['v2.0', 'v1.0']],
  [{ filter: { number: { gt: '1' } }, orderBy: ['UNIT_PRICE_ASC'] }, null, ['v1.0']],
] as const)(
  'items by %j are found in a shape that has the field, and the v1.0 shape alone is rejected for fields it lacks',
  async ([given, lacking, found], { layer, sandbox }) => {
    const auto = await layer.query(items, { version: 'AUTO', ...given });
    expect(auto.errors).toBeUndefined();
    expect(await shapes(sandbox)).toEqual(found);
    for (const { baseUnitOfMeasure } of auto.data.company.items.nodes)
      expect(baseUnitOfMeasure.unitName).toMatch(/\w/);
    await sandbox.forgetCalls();

    const pinned = await layer.query(items, { version: 'V1', ...given });

    if (lacking === null) expect(pinned.errors).toBeUndefined();
    else expect(pinned.errors).toMatchObject(badInput(`The v1.0 shape of items has no \`${lacking}\``));
    expect(await shapes(sandbox)).toEqual(lacking === null ? ['v1.0'] : []);
  },
);

/** The type behind each list, and the columns of which conditions are tested. */
const lists = {
  customers: [
    'Customer',
    `id number displayName type city phoneNumber website balanceDue creditLimit taxLiable currencyId blocked
     lastModifiedDateTime`,
  ],
  employees: ['Employee', 'id terminationDate birthDate'],
  salesQuotes: ['SalesQuote', 'id sentDate'],
  companies: ['Company', 'id timestamp'],
} as const;
type List = keyof typeof lists;

async function find(layer: TestLayer, list: List, filter: object): Promise<Json> {
  const [type, columns] = lists[list];
  const field = `${list}(first: 1000, filter: $filter) { totalCount nodes { ${columns} } }`;
  const { data, errors } = await layer.query(
    `query ($filter: ${type}Filter) { ${list === 'companies' ? field : `company { ${field} }`} }`,
    { filter },
  );
  expect(errors).toBeUndefined();
  return (data.company ?? data)[list];
}

const orchard = 'https://orchard-outfitters.example';
const euro = derivedGuid(`${sandboxCompanyId}:currencies:EUR`);
const [first = '', eighth = ''] = [0, 7].map((index) =>
  derivedGuid(`${sandboxCompanyId}:customers:${index}`),
);
const instant = '2025-01-06T10:31:03.554Z';
const owes = (row: Json, from: number, to: number) => +row.balanceDue > from && +row.balanceDue < to;

/** A filter, and the same condition on what the records show. */
type Case = readonly [filter: object, holds: (row: Json) => unknown];

const ofCustomers: Case[] = [
  [{ displayName: { eq: "O'Dwyer & Sons Outfitters" } }, (row) => row.displayName.startsWith("O'D")],
  [{ website: { eq: null } }, (row) => row.website === null],
  [{ not: { website: { eq: orchard } } }, (row) => row.website && row.website !== orchard],
  [{ phoneNumber: { lt: '+1 555 1100' } }, (row) => row.phoneNumber && row.phoneNumber < '+1 555 1100'],
  [{ displayName: { endsWith: 's' } }, (row) => row.displayName.endsWith('s')],
  [{ displayName: { contains: 'ö' } }, (row) => row.displayName.includes('ö')],
  [{ id: { in: [first, eighth.toUpperCase()] } }, (row) => row.id === first || row.id === eighth],
  [{ currencyId: { ne: euro } }, (row) => row.currencyId && row.currencyId !== euro],
  [{ balanceDue: { lt: 100, ne: '0' } }, (row) => owes(row, 0, 100)],
  [{ creditLimit: { in: [500, '1000.00'] } }, (row) => [500, 1000].includes(+row.creditLimit)],
  [{ not: { taxLiable: { ne: true } } }, (row) => row.taxLiable === true],
  [{ blocked: { eq: null } }, (row) => row.blocked === null],
  [{ not: { blocked: { in: ['Ship', 'All'] } } }, (row) => row.blocked === 'Invoice'],
  [{ not: { lastModifiedDateTime: { gt: instant } } }, (row) => row.lastModifiedDateTime <= instant],
  [
    { or: [{ type: { eq: 'Person' }, balanceDue: { gt: 1000 } }, { city: { startsWith: 'S' } }] },
    (row) => (row.type === 'Person' && +row.balanceDue > 1000) || row.city.startsWith('S'),
  ],
  [
    { not: { or: [{ type: { eq: 'Person' } }, { taxLiable: { eq: false } }] } },
    (row) => row.type !== 'Person' && row.taxLiable,
  ],
  [
    { not: { balanceDue: { gt: 1000, lt: 2000 } } },
    (row) => +row.balanceDue <= 1000 || +row.balanceDue >= 2000,
  ],
  [{ not: { not: { balanceDue: { gt: 1000, lt: 2000 } } } }, (row) => owes(row, 1000, 2000)],
];

const ofOthers: [List, ...Case][] = [
  ['employees', { terminationDate: { eq: null } }, (row) => row.terminationDate === null],
  ['employees', { birthDate: { ge: '0001-01-01' } }, (row) => row.birthDate !== null],
  ['employees', { not: { birthDate: { ge: '1980-01-01' } } }, (row) => /^19[67]/.test(row.birthDate)],
  ['salesQuotes', { sentDate: { eq: null } }, (row) => row.sentDate === null],
  ['companies', { timestamp: { eq: 47_434 } }, (row) => row.timestamp === 47_434],
];

test.for([...ofCustomers.map((given) => ['customers', ...given] as const), ...ofOthers])(
  'of the %s, those that match %j are found and counted, and no others',
  async ([list, filter, holds], { layer }) => {
    const all = await find(layer, list, {});
    const expected = all.nodes.filter(holds);

    expect(await find(layer, list, filter)).toEqual({ totalCount: expected.length, nodes: expected });
    // A condition that all or none meet would prove little.
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(all.totalCount);
  },
);

test.for([{ or: [] }, { number: { eq: 'C10000' }, city: { in: [] } }])(
  'a filter that nothing matches, %j, is an empty list without an upstream call',
  async (filter, { layer, sandbox }) => {
    expect(await find(layer, 'customers', filter)).toEqual({ totalCount: 0, nodes: [] });
    expect(await sandbox.calls()).toEqual([]);
  },
);

test.for([{ number: null }, { not: { number: { in: [] } } }])(
  'a filter that everything matches, %j, is sent without a filter',
  async (filter, { layer, sandbox }) => {
    const { totalCount } = await find(layer, 'customers', filter);

    expect(totalCount).toBe(300);
    expect((await sandbox.calls())[0]?.path).not.toContain('filter');
  },
);
