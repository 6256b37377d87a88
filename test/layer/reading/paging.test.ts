import { expect, onTestFinished, test as plain } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { startBeforeStub, startTestLayer, test } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

const page = `query ($first: Int, $after: String) {
  company { customers(first: $first, after: $after) {
    edges { cursor node { number } } nodes { number } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }
}`;

const set = `/api/v2.0/companies(${sandboxCompanyId})/customers`;
const keys = ['1', '2'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`);

test('the pages together are the whole list, with one call for each page', async ({ layer, sandbox }) => {
  const numbers: string[] = [];
  let after: string | null = null;
  let pages = 0;
  do {
    const { data } = await layer.query(page, { first: 64, after });
    const { nodes, pageInfo, totalCount } = data.company.customers;
    numbers.push(...nodes.map((node: { number: string }) => node.number));
    expect(totalCount).toBe(300);
    expect(pageInfo.hasPreviousPage).toBe(after !== null);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    pages += 1;
  } while (after !== null);

  expect(new Set(numbers).size).toBe(300);
  expect(pages).toBe(5);
  expect((await sandbox.calls()).map(({ headers }) => headers.prefer)).toEqual(
    Array(5).fill('odata.maxpagesize=64'),
  );
});

test('a full page has no next one where its total, counted in the same call, is reached', async ({
  layer,
  sandbox,
}) => {
  const ask = async (selection: string, first = 1) => {
    const { data } = await layer.query(
      `{ company { customers(first: ${first}, filter: { number: { startsWith: "C100" } }) { ${selection} } } }`,
    );
    return data.company.customers;
  };
  const { totalCount } = await ask('totalCount');
  const all = await ask('totalCount pageInfo { hasNextPage endCursor }', totalCount);
  const fewer = await ask('totalCount pageInfo { hasNextPage endCursor }', totalCount - 1);
  const uncounted = await ask('pageInfo { hasNextPage }', totalCount);

  expect(totalCount).toBeGreaterThan(2);
  expect(all.pageInfo.hasNextPage).toBe(false);
  expect(fewer.pageInfo.hasNextPage).toBe(true);
  // Another call for each list would cost more than one for the last page.
  expect(uncounted.pageInfo.hasNextPage).toBe(true);
  expect(await sandbox.calls()).toHaveLength(4);
});

test('pages shorter than requested are joined', async ({ layer, sandbox }) => {
  const row = (number: number) => ({
    id: `00000000-0000-4000-8000-00000000000${number}`,
    number: `N${number}`,
  });
  const pageOf = (numbers: number[], next: string | null) => ({
    value: numbers.map(row),
    ...(next && { '@odata.nextLink': `http://elsewhere.example${set}?$skiptoken=${next}` }),
  });
  await sandbox.fault({ path: '/customers', status: 200, body: pageOf([1, 2], 'a') });
  await sandbox.fault({ path: 'skiptoken=a', status: 200, body: pageOf([], 'b') });
  await sandbox.fault({ path: 'skiptoken=b', times: 2, status: 200, body: pageOf([3, 4], null) });

  const { data } = await layer.query(page, { first: 3 });
  const rest = await layer.query(page, { first: 3, after: data.company.customers.pageInfo.endCursor });

  expect(data.company.customers.nodes).toEqual([{ number: 'N1' }, { number: 'N2' }, { number: 'N3' }]);
  expect(rest.data.company.customers.nodes).toEqual([{ number: 'N4' }]);
  expect(rest.data.company.customers.pageInfo.hasNextPage).toBe(false);
});

test.for([
  ['leads to itself', '?$skiptoken=a'],
  ['leads below its own address', '/x?$skiptoken=a'],
] as const)(
  'a list whose continuation %s is UPSTREAM_BAD_RESPONSE, never a short list',
  async ([_how, query], { layer, sandbox }) => {
    const nextLink = `${sandbox.url}${set}${query}`;
    await sandbox.fault({
      path: '/customers',
      times: 9,
      status: 200,
      body: { value: [], '@odata.nextLink': nextLink },
    });

    const { data, errors } = await layer.query(page, { first: 3 });

    expect(data.company.customers).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE', upstream: 'business' } }]);
  },
);

test('a cursor of another list, or of none, and a page too long are BAD_USER_INPUT and nothing is sent', async ({
  layer,
  sandbox,
}) => {
  const { data } = await layer.query('{ company { employees(first: 2) { pageInfo { endCursor } } } }');
  await sandbox.forgetCalls();

  for (const after of [data.company.employees.pageInfo.endCursor, 'abc', '']) {
    const { errors } = await layer.query(page, { first: 3, after });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  }
  expect((await layer.query(page, { first: 1001 })).errors).toMatchObject([
    { message: expect.stringContaining('1 to 1000'), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
  expect(await sandbox.calls()).toEqual([]);
});

test('records requested by id are read to the end of their pages, and no further', async () => {
  const { stub, layer } = await startBeforeStub(({ target }) => {
    const next = (token: string) => ({ '@odata.nextLink': `?$skiptoken=${token}` });
    if (target.includes('$skiptoken=more'))
      return { body: { value: [{ id: keys[1], number: 'B' }], ...next('never') } };
    return { body: { value: [{ id: keys[0]?.toUpperCase(), number: 'A' }], ...next('more') } };
  });

  const { data } = await layer.query(
    'query ($a: UUID!, $b: UUID!) { company { a: customer(id: $a) { number } b: customer(id: $b) { number } } }',
    { a: keys[0], b: keys[1] },
  );

  expect(data.company).toEqual({ a: { number: 'A' }, b: { number: 'B' } });
  expect(stub.requests).toHaveLength(2);
});

test("of a next link only the upstream's own parameters are sent, however they are encoded", async ({
  layer,
  sandbox,
}) => {
  const ours = '$Select=id&%24expand=x&$filter=a&%24OrderBy=b&$count=true&$top=1';
  const escaped = set.replace('(', '%28').replace(')', '%29').toUpperCase();
  const nextLink = `http://elsewhere.example${escaped}?${ours}?$skiptoken=%2Fa%20b&aid=7`;
  await sandbox.fault({ path: '/customers', status: 200, body: { value: [], '@odata.nextLink': nextLink } });
  await sandbox.fault({ path: 'skiptoken', status: 200, body: { value: [] } });

  const { errors } = await layer.query(page, { first: 3 });

  expect(errors).toBeUndefined();
  const [first, second] = await sandbox.calls();
  expect(first?.path).toBe(`${set}?$count=true&$select=id,number`);
  expect(first?.headers.prefer).toBe('odata.maxpagesize=3');
  expect(second?.path).toBe(`${set}?$select=id,number&$skiptoken=%2Fa%20b&aid=7`);
});

test('a cursor inside a short page skips no row of the following pages', async ({ layer, sandbox }) => {
  const rows = (...numbers: string[]) =>
    numbers.map((number) => ({ id: sandboxExamples.customerId, number }));
  const nextLink = `${sandbox.url}${set}?$skiptoken=a`;
  await sandbox.fault({
    path: '/customers?$count',
    times: 2,
    status: 200,
    body: { value: rows('A', 'B', 'C'), '@odata.nextLink': nextLink },
  });
  await sandbox.fault({ path: 'skiptoken=a', status: 200, body: { value: rows('D', 'E') } });

  const first = await layer.query(page, { first: 1 });
  const rest = await layer.query(page, { first: 4, after: first.data.company.customers.pageInfo.endCursor });

  expect(rest.data.company.customers.nodes).toEqual(['B', 'C', 'D', 'E'].map((number) => ({ number })));
});

test('the page after the last is empty, not the first page', async ({ layer }) => {
  let last = (await layer.query(page, { first: 128 })).data.company.customers;
  while (last.pageInfo.hasNextPage)
    last = (await layer.query(page, { first: 128, after: last.pageInfo.endCursor })).data.company.customers;
  const { data } = await layer.query(page, { first: 128, after: last.pageInfo.endCursor });

  expect(last.nodes.length).toBeGreaterThan(0);
  expect(data.company.customers).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false } });
});

const customer = { id: '6d115c9c-44e3-4a11-bb43-000000000001', displayName: 'Ada' };

plain('the query of BUSINESS_URL is added to every call, and to no cursor', async () => {
  const targets: string[] = [];
  const stub = await startStub(({ target }) => {
    targets.push(target);
    const next = { '@odata.nextLink': `http://elsewhere${target}&$skiptoken=next` };
    return { body: { value: [customer], ...(target.includes('skiptoken') ? {} : next) } };
  });
  const layer = await startTestLayer(stub.url, {
    BUSINESS_URL: `${stub.url}/BC?tenant=contoso&mode=x`,
    BUSINESS_COMPANY_ID: '5d115c9c-44e3-4a11-bb43-000000000000',
  });
  onTestFinished(async () => {
    await layer.stop();
    stub.stop();
  });
  const { data } = await layer.query(
    '{ company { customers(first: 1) { nodes { id } pageInfo { endCursor } } } }',
  );
  const { endCursor } = data.company.customers.pageInfo;
  const next = await layer.query(
    `{ company { customers(first: 1, after: ${JSON.stringify(endCursor)}) { nodes { id } } } }`,
  );
  await layer.query(`{ company { customer(id: "${customer.id}") { displayName } } }`);

  expect(next.errors).toBeUndefined();
  expect(targets).toHaveLength(3);
  for (const target of targets) {
    expect(target).toMatch(/^\/BC\/api\/v2\.0\//);
    expect(target.match(/[?&]tenant=contoso&mode=x(?=&|$)/g)).toHaveLength(1);
  }
  expect(targets[1]).toContain('skiptoken=next');
});
