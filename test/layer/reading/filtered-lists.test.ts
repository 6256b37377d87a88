import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
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

test.for([
  [{ lastModifiedDateTime: { gt: '2026-01-01T00:00:00Z' } }, 'lastModifiedDateTime gt 2026-01-01T00:00:00Z'],
  [
    { lastModifiedDateTime: { gt: '2026-01-01T01:30:00+01:30' } },
    'lastModifiedDateTime gt 2026-01-01T00:00:00Z',
  ],
  [{ balanceDue: { gt: '+1.5', lt: '.5' } }, 'balanceDue gt 1.5 and balanceDue lt 0.5'],
  [{ displayName: { eq: "O'Dwyer" } }, "displayName eq 'O''Dwyer'"],
  [{ id: { eq: sandboxExamples.customerId.toUpperCase() } }, `id eq ${sandboxExamples.customerId}`],
  [{ balanceDue: { lt: '12345678901234567.89' } }, 'balanceDue lt 12345678901234567.89'],
  [{ blocked: { ne: null }, taxLiable: { eq: true } }, "taxLiable eq true and blocked ne ' '"],
  [
    { number: { in: ['A', 'B'] }, city: { ne: 'C' } },
    "(number eq 'A' or number eq 'B') and (city ne 'C' and city ne '')",
  ],
] as const)('the filter %j is sent to the upstream as %s', async ([filter, text], { layer, sandbox }) => {
  const { errors } = await layer.query(list, { filter });

  expect(errors).toBeUndefined();
  expect(await asked(sandbox, '$filter', '$count')).toEqual([[text, 'true']]);
});

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

test('pages of a filtered and ordered list together have no gaps and no duplicates', async ({ layer }) => {
  const variables = {
    filter: { or: [{ taxLiable: { eq: true } }, { type: { eq: 'Person' } }] },
    orderBy: ['CITY_DESC'],
  };
  const whole = await layer.query(list, { ...variables, first: 1000 });

  const nodes: Json[] = [];
  let after: string | null = null;
  do {
    const { data } = await layer.query(list, { ...variables, first: 37, after });
    nodes.push(...data.company.customers.nodes);
    expect(data.company.customers.totalCount).toBe(whole.data.company.customers.totalCount);
    const { hasNextPage, endCursor } = data.company.customers.pageInfo;
    after = hasNextPage ? endCursor : null;
  } while (after !== null);

  expect(nodes).toEqual(whole.data.company.customers.nodes);
  expect(nodes.length).toBeGreaterThan(200);
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

test('a cursor of an unfiltered list is not valid for a filter that nothing matches', async ({ layer }) => {
  const { data } = await layer.query(list, { first: 3 });

  const { errors } = await layer.query(list, {
    filter: { or: [] },
    after: data.company.customers.pageInfo.endCursor,
  });

  expect(errors).toMatchObject(badInput('`after` is not a cursor of this list'));
});

const refused = async (layer: TestLayer, sandbox: TestSandbox, variables: object, message: string) => {
  const { errors } = await layer.query(list, { ...variables });
  expect(errors).toMatchObject(badInput(message));
  expect(await sandbox.calls()).toEqual([]);
};

const nested = (depth: number): object =>
  depth === 0 ? { taxLiable: { eq: true } } : { not: nested(depth - 1) };

test.for([
  [{ balanceDue: { eq: null } }, '`filter.balanceDue.eq` is null, but `balanceDue` always has a value'],
  [{ taxLiable: { ne: null } }, '`filter.taxLiable.ne` is null'],
  [nested(17), '`filter` is nested more than 16 deep'],
] as const)(
  'the filter %j is BAD_USER_INPUT with the reason, and nothing is sent',
  async ([filter, message], { layer, sandbox }) => {
    await refused(layer, sandbox, { filter }, message);
  },
);

test('a filter of the maximum depth is accepted', async ({ layer, sandbox }) => {
  const { errors } = await layer.query(list, { filter: nested(16) });

  expect(errors).toBeUndefined();
  expect(await asked(sandbox, '$filter')).toEqual([['taxLiable eq true']]);
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
  [{ orderBy: ['DISPLAY_NAME_2_ASC'] }, 'displayName2', ['v2.0', 'v1.0']],
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

test('a cursor of one version of items is not valid for the other', async ({ layer }) => {
  const v1 = await layer.query(items, { version: 'V1' });

  const { errors } = await layer.query(items, {
    version: 'V2',
    after: v1.data.company.items.pageInfo.endCursor,
  });

  expect(errors).toMatchObject(badInput('`after` is not a cursor of this list'));
});
