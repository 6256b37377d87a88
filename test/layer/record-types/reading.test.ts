import { describe, expect } from 'vitest';
import { sandboxCompanyId as companyId } from '../../../sandbox/seed/seed.ts';
import { type RecordKind, recordFiles, recordKinds } from '../../support/cases/record-kinds.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({}, { RECORD_TYPES: recordFiles });

const list = ({ many }: RecordKind, given: string, nodes = 'number') =>
  `{ company { ${many}${given} { totalCount nodes { ${nodes} } } } }`;

/** What a query returns of the company, and the calls that it took. */
async function read(layer: TestLayer, sandbox: TestSandbox, query: string) {
  await sandbox.forgetCalls();
  const { data, errors } = await layer.query(query);
  expect(errors).toBeUndefined();
  const calls = (await sandbox.calls()).map(({ method, path }) => `${method} ${decodeURIComponent(path)}`);
  return { company: data.company, calls };
}

const filters: readonly (readonly [what: string, filter: (kind: RecordKind) => string])[] = [
  ['a text equals', ({ city }) => `${city}: { eq: "Oslo" }`],
  ['a text is one of several', ({ city }) => `${city}: { in: ["Oslo", "Bergen", "Aarhus"] }`],
  [
    'a text begins, contains and ends',
    ({ first }) => `${first}: { contains: "a", startsWith: "A", endsWith: "a" }`,
  ],
  ['a code is set', () => 'postalCode: { ne: null }'],
  ['a choice equals', ({ status }) => `${status}: { eq: "Terminated" }`],
  ['a choice is one of several words', ({ status }) => `${status}: { in: ["Active", "Inactive"] }`],
  ['a date is unset', () => 'terminationDate: { eq: null }'],
  ['a date is within', () => 'employmentDate: { ge: "2012-01-01", lt: "2020-01-01" }'],
  ['a time is later', () => 'lastModifiedDateTime: { gt: "2024-01-01T00:00:00Z" }'],
  ['a GUID is none', () => 'id: { ne: "44444444-4444-4444-8444-444444444444" }'],
  ['all of it holds', ({ last, city }) => `and: [{ ${last}: { gt: "M" } }, { ${city}: { ne: "Oslo" } }]`],
  ['one of it holds', ({ last, city }) => `or: [{ ${last}: { lt: "C" } }, { ${city}: { eq: "Oslo" } }]`],
  ['it does not hold', ({ last, status }) => `not: { ${last}: { lt: "M" }, ${status}: { eq: "Active" } }`],
];

test.for(filters)(
  'both types find the same records by the same call where %s',
  async ([, filter], { layer, sandbox }) => {
    const find = (kind: RecordKind) => read(layer, sandbox, list(kind, `(filter: { ${filter(kind)} })`));
    const [[, ofProduct], [, fromFile]] = recordKinds;
    const one = await find(ofProduct);
    const other = await find(fromFile);

    expect(other.company.staffMembers).toEqual(one.company.employees);
    expect(other.calls).toEqual(one.calls);
    expect(other.calls).toHaveLength(1);
  },
);

describe.for(recordKinds)('a record type %s', ([, kind]) => {
  const { type, one, many, first, last, city, status, sorts } = kind;
  const fields = `id number displayName ${first} ${last} ${city} ${status} employmentDate etag`;

  test('is read by id and by number as it is listed, in one call each', async ({ layer, sandbox }) => {
    const { company } = await read(layer, sandbox, list(kind, '', fields));
    const record = company[many].nodes[7];

    const byId = await read(layer, sandbox, `{ company { ${one}(id: "${record.id}") { ${fields} } } }`);
    const byNumber = await read(
      layer,
      sandbox,
      `{ company { ${one}ByNumber(number: " ${record.number.toLowerCase()} ") { ${fields} } } }`,
    );

    expect(company[many].totalCount).toBe(40);
    expect(record[first]).toMatch(/\w/);
    expect(record[status]).toMatch(/^[A-Z][a-z]+$/);
    expect(byId.company[one]).toEqual(record);
    expect(byNumber.company[`${one}ByNumber`]).toEqual(record);
    expect([...byId.calls, ...byNumber.calls]).toHaveLength(2);
  });

  test('is null where there is no such record', async ({ layer }) => {
    const { data, errors } = await layer.query(
      `{ company { ${one}(id: "44444444-4444-4444-8444-444444444444") { id } ${one}ByNumber(number: "NONE") { id } } }`,
    );

    expect(errors).toBeUndefined();
    expect(data.company).toEqual({ [one]: null, [`${one}ByNumber`]: null });
  });

  test('is sorted by several fields, and paged by cursors without a gap', async ({ layer, sandbox }) => {
    const orderBy = `orderBy: [${sorts.city}_ASC, ${sorts.last}_DESC]`;
    const whole = await read(
      layer,
      sandbox,
      `{ company { ${many}(first: 40, ${orderBy}) { nodes { number ${city} ${last} } } } }`,
    );
    const expected = whole.company[many].nodes;
    const paged: unknown[] = [];
    let after = 'null';
    do {
      const { company } = await read(
        layer,
        sandbox,
        `{ company { ${many}(first: 13, after: ${after}, ${orderBy}) { nodes { number ${city} ${last} } pageInfo { hasNextPage endCursor } } } }`,
      );
      paged.push(...company[many].nodes);
      const { hasNextPage, endCursor } = company[many].pageInfo;
      after = hasNextPage ? JSON.stringify(endCursor) : '';
    } while (after !== '');

    expect(whole.calls[0]).toContain('$orderby=city,surname desc');
    expect(expected).toHaveLength(40);
    expect(paged).toEqual(expected);
  });

  test('is a node, and an entity by each of its keys; a hundred of them take one call', async ({
    layer,
    sandbox,
  }) => {
    const { company } = await read(layer, sandbox, list(kind, '(first: 20)', `nodeId id number ${last}`));
    const nodes: { nodeId: string; id: string; number: string }[] = company[many].nodes;
    await sandbox.forgetCalls();
    const { data, errors } = await layer.query(
      `query ($ids: [ID!]!, $byId: [_Any!]!, $byNumber: [_Any!]!) {
        nodes(nodeIds: $ids) { __typename ... on ${type} { nodeId id number ${last} } }
        byId: _entities(representations: $byId) { ... on ${type} { nodeId id number ${last} } }
        byNumber: _entities(representations: $byNumber) { ... on ${type} { nodeId id number ${last} } }
      }`,
      {
        ids: nodes.map(({ nodeId }) => nodeId),
        byId: nodes.map(({ id }) => ({ __typename: type, companyId, id })),
        byNumber: nodes.map(({ number }) => ({ __typename: type, companyId, number })),
      },
    );

    expect(errors).toBeUndefined();
    expect(data.nodes).toEqual(nodes.map((node) => ({ __typename: type, ...node })));
    expect(data.byId).toEqual(nodes);
    expect(data.byNumber).toEqual(nodes);
    expect(await sandbox.calls()).toHaveLength(2);
  });

  test('costs what its rows cost, and says so when too many are asked for', async ({ layer }) => {
    const nested = `{ company { ${many}(first: 1000) { nodes { company { ${many}(first: 1000) { nodes { number } } } } } } }`;

    const { errors, extensions } = await layer.query(nested);

    expect(errors?.map((error) => error.extensions.code)).toEqual(['QUERY_TOO_COMPLEX']);
    expect(errors?.[0]?.message).toContain('1002001 upstream rows');
    expect(extensions).toBeUndefined();
  });

  test('is explained by the call that it took', async ({ layer }) => {
    const { extensions } = await layer.query(
      list(kind, '(first: 2)', last),
      {},
      { 'tributary-explain': '1' },
    );

    expect(extensions?.upstream).toMatchObject([
      {
        upstream: 'business',
        method: 'GET',
        path: `/api/v2.0/companies(${companyId})/employees?$count=true&$select=id,surname`,
        status: 200,
        rows: 2,
      },
    ]);
  });

  test('has a picture', async ({ layer }) => {
    const { data, errors } = await layer.query(list(kind, '(first: 1)', 'picture { url }'));

    expect(errors).toBeUndefined();
    expect(data.company[many].nodes).toEqual([{ picture: { url: expect.stringMatching(/^\/files\//) } }]);
  });
});
