import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

// The sandbox's sets of another API, with keys of two codes and of a number.
const files = fileURLToPath(new URL('../../fixtures/keyed-records/*.json', import.meta.url));
const test = testWith({}, { RECORD_TYPES: files });

const pathsOf = (calls: readonly { method: string; path: string }[]) =>
  calls.map(({ method, path }) => `${method} ${decodeURIComponent(path.split('?')[0] ?? '')}`);
const records = '/api/contoso/app/v1.0/companies(';

describe('a record with a key of two codes', () => {
  const bins = '{ company { warehouseBins { nodes { id nodeId locationCode code zone etag } } } }';

  test('is listed, read by its id and by its node id, and is the same', async ({ layer, sandbox }) => {
    const { data } = await layer.query(bins);
    const { nodes } = data.company.warehouseBins;
    expect(nodes).toHaveLength(8);
    for (const bin of nodes) {
      await sandbox.forgetCalls();
      const read = await layer.query(
        `query ($id: ID!, $nodeId: ID!) {
          company { warehouseBin(id: $id) { id nodeId locationCode code zone etag } }
          node(nodeId: $nodeId) { ... on WarehouseBin { id nodeId locationCode code zone etag } }
        }`,
        { id: bin.id, nodeId: bin.nodeId },
      );
      expect(read.errors).toBeUndefined();
      expect(read.data.company.warehouseBin).toEqual(bin);
      expect(read.data.node).toEqual(bin);
      const calls = pathsOf(await sandbox.calls());
      expect(calls).toHaveLength(1);
      expect(calls[0]).toMatch(/^GET \/api\/contoso\/app\/v1\.0\/companies\(/);
    }
    expect(nodes.map(({ code }: { code: string }) => code)).toContain("O'HARE 3");
  });

  test.for([
    'EAST',
    "locationCode='EAST'",
    "binCode='A-01',locationCode='EAST'",
    "locationCode='E',binCode='A') or (1 eq 1",
  ])('is not found by %s, which is the id of none, and nothing is sent', async (id, { layer, sandbox }) => {
    await sandbox.forgetCalls();
    const { errors } = await layer.query('query ($id: ID!) { company { warehouseBin(id: $id) { id } } }', {
      id,
    });

    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(await sandbox.calls()).toEqual([]);
  });

  test('is created by the columns of its key, changed, found by a filter and deleted', async ({
    layer,
    sandbox,
  }) => {
    const input = { locationCode: 'north', code: "R'1/2", description: 'New', zone: 'SHIP_AND_PACK' };
    const created = await layer.query(
      `mutation ($input: CreateWarehouseBinInput!) {
        createWarehouseBin(input: $input) { warehouseBin { id locationCode code zone etag } userErrors { code message } }
      }`,
      { input },
    );
    const { warehouseBin: bin, userErrors } = created.data.createWarehouseBin;
    expect(userErrors).toEqual([]);
    expect(bin).toMatchObject({ id: "locationCode='NORTH',binCode='R''1/2'", zone: 'SHIP_AND_PACK' });

    const updated = await layer.query(
      `mutation ($input: UpdateWarehouseBinInput!) {
        updateWarehouseBin(input: $input) { warehouseBin { description blocked etag } userErrors { code message } }
      }`,
      { input: { id: bin.id, ifMatch: bin.etag, patch: { description: 'Changed', blocked: true } } },
    );
    const { warehouseBin: changed } = updated.data.updateWarehouseBin;
    expect(changed).toMatchObject({ description: 'Changed', blocked: true });

    const { data: found } = await layer.query(
      '{ company { warehouseBins(filter: { code: { contains: "R\'1" }, zone: { eq: SHIP_AND_PACK } }) { nodes { id } } } }',
    );
    expect(found.company.warehouseBins.nodes).toEqual([{ id: bin.id }]);

    await sandbox.forgetCalls();
    const deleted = await layer.query(
      `mutation ($input: DeleteWarehouseBinInput!) {
        deleteWarehouseBin(input: $input) { deletedId deletedNodeId userErrors { code } }
      }`,
      { input: { id: bin.id, ifMatch: changed.etag } },
    );
    expect(deleted.data.deleteWarehouseBin).toMatchObject({ deletedId: bin.id, userErrors: [] });
    expect(pathsOf(await sandbox.calls())).toEqual([
      expect.stringMatching(/^DELETE .*\/warehouseBins\(locationCode='NORTH',binCode='R''1\/2'\)$/),
    ]);
  });
});

describe('a record with a number as its key', () => {
  test('is read by it, several in one call, with the number as text', async ({ layer, sandbox }) => {
    await sandbox.forgetCalls();
    const { data, errors } = await layer.query(
      '{ company { a: counter(id: "-2") { id counterNumber value } b: counter(id: "0") { id } c: counter(id: "99") { id } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.company).toMatchObject({ a: { id: '-2', counterNumber: -2 }, b: { id: '0' }, c: null });
    expect((await sandbox.calls()).every(({ path }) => path.startsWith(records))).toBe(true);
    expect(await sandbox.calls()).toHaveLength(1);
  });

  test('is an entity of federation by company and id', async ({ layer }) => {
    const { data: first } = await layer.query('{ company { id counters(first: 3) { nodes { id value } } } }');
    const representations = first.company.counters.nodes.map(({ id }: { id: string }) => ({
      __typename: 'Counter',
      companyId: first.company.id,
      id,
    }));

    const { data, errors } = await layer.query(
      'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Counter { id value } } }',
      { r: representations },
    );

    expect(errors).toBeUndefined();
    expect(data._entities).toEqual(first.company.counters.nodes);
  });
});

test('records of two APIs are changed in one mutation, each in a batch of its own API', async ({
  layer,
  sandbox,
}) => {
  await sandbox.forgetCalls();
  const entries = [
    { createEmployee: { givenName: 'Ada', surname: 'Berg' } },
    { createCounter: { counterNumber: 501, value: 1 } },
    { createEmployee: { givenName: 'Bo', surname: 'Dahl' } },
    { createCounter: { counterNumber: 502, value: 2 } },
  ];
  const { data, errors } = await layer.query(
    `mutation ($input: BatchInput!) {
      batch(input: $input) { results { record { __typename ... on Counter { id } } userErrors { code message } } }
    }`,
    { input: { entries } },
  );

  expect(errors).toBeUndefined();
  expect(data.batch.results.flatMap(({ userErrors }: { userErrors: object[] }) => userErrors)).toEqual([]);
  expect(data.batch.results[3].record).toEqual({ __typename: 'Counter', id: '502' });
  expect(pathsOf(await sandbox.calls()).sort()).toEqual([
    'POST /api/contoso/app/v1.0/$batch',
    'POST /api/v2.0/$batch',
  ]);
});
