import { describe, expect } from 'vitest';
import { sandboxCompanyId as companyId } from '../../../sandbox/seed.ts';
import { type RecordKind, recordFiles, recordKinds } from '../../support/cases/record-kinds.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({}, { RECORD_TYPES: recordFiles });

const list = ({ many }: RecordKind, given: string, nodes = 'number') =>
  `{ company { ${many}${given} { totalCount nodes { ${nodes} } } } }`;

/** What a query returns of the company, and the calls that it took. */
async function read(layer: TestLayer, sandbox: TestSandbox, query: string) {
  await sandbox.forgetCalls();
  const data = await layer.read(query);
  const calls = (await sandbox.calls()).map(({ method, path }) => `${method} ${decodeURIComponent(path)}`);
  return { company: data.company, calls };
}

const filters: readonly (readonly [what: string, filter: (kind: RecordKind) => string])[] = [
  [
    'a text begins, contains and ends',
    ({ first }) => `${first}: { contains: "a", startsWith: "A", endsWith: "a" }`,
  ],
  ['a choice equals', ({ status }) => `${status}: { eq: "Terminated" }`],
  ['all of it holds', ({ last, city }) => `and: [{ ${last}: { gt: "M" } }, { ${city}: { ne: "Oslo" } }]`],
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
  const { type, one, many, first, last, city, status } = kind;
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

  test('is a node, and an entity by each of its keys; a hundred of them take one call', async ({
    layer,
    sandbox,
  }) => {
    const { company } = await read(layer, sandbox, list(kind, '(first: 20)', `nodeId id number ${last}`));
    const nodes: { nodeId: string; id: string; number: string }[] = company[many].nodes;
    await sandbox.forgetCalls();
    const data = await layer.read(
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

    expect(data.nodes).toEqual(nodes.map((node) => ({ __typename: type, ...node })));
    expect(data.byId).toEqual(nodes);
    expect(data.byNumber).toEqual(nodes);
    expect(await sandbox.calls()).toHaveLength(2);
  });
});
