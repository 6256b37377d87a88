import { describe, expect, onTestFinished, test } from 'vitest';
import { addSources } from '../../../src/business/sources/record-sources.ts';
import { createRecordGraph, stubCompanyId } from '../../support/cases/record-graph.ts';
import {
  extensionRoute,
  idOfThing,
  startThings,
  things,
  thingsSdl,
} from '../../support/cases/sourced-things.ts';

async function start() {
  const upstream = await startThings();
  onTestFinished(() => upstream.stop());
  const { query } = createRecordGraph({ url: upstream.url, recordTypes: [things], sdl: thingsSdl });
  const one = (fields: string, at = 1) =>
    query(`{ company { thing(id: "${idOfThing(at)}") { ${fields} } } }`);
  const list = (args: string, fields: string) => query(`{ company { things${args} { ${fields} } } }`);
  return { upstream, query, one, list };
}

const own = `GET /api/v2.0/companies(${stubCompanyId})/things`;
const extension = `GET /api/${extensionRoute}/companies(${stubCompanyId})/thingExtensions`;

describe('one record', () => {
  test.each([
    ['name price', [`${own}(${idOfThing(1)})?$select=id,name,price`]],
    ['hazard', [`${extension}(${idOfThing(1)})?$select=id,hazard`]],
    ['id companyId hazard gradeRaw', [`${extension}(${idOfThing(1)})?$select=id,hazard,grade`]],
    [
      'name hazard',
      [`${own}(${idOfThing(1)})?$select=id,name`, `${extension}(${idOfThing(1)})?$select=id,hazard`],
    ],
  ])('with the fields %s is read from their sets alone', async (fields, calls) => {
    const { upstream, one } = await start();

    const { errors } = await one(fields);

    expect(errors).toBeUndefined();
    expect([...upstream.calls()].sort()).toEqual([...calls].sort());
  });

  test('has the fields of both', async () => {
    const { one } = await start();

    expect((await one('number hazard shelfLife grade gradeRaw')).data.company.thing).toEqual({
      number: 'T1',
      hazard: 'H1',
      shelfLife: 9,
      grade: 'HIGH',
      gradeRaw: 'A',
    });
  });

  test('without a row in the source has null there, and without one in its own set is null', async () => {
    const { one } = await start();

    expect(await one('hazard', 3)).toEqual({ data: { company: { thing: { hazard: null } } } });
    expect(await one('hazard', 99)).toEqual({ data: { company: { thing: null } } });
  });

  test.each([
    ['thingExtensions', { name: 'Thing 1', hazard: null }, ['hazard']],
    ['things', null, null],
  ])('of which the set %s fails has errors at the fields of that set', async (set, thing, path) => {
    const { upstream, one } = await start();
    upstream.fail(`/${set}(`, 500);

    const { data, errors } = await one('name hazard');

    expect(data.company.thing).toEqual(thing);
    expect(errors?.map((error) => error.path)).toEqual([['company', 'thing', ...(path ?? [])]]);
  });

  test('by its number has the fields of both', async () => {
    const { query } = await start();

    const { data } = await query('{ company { thingByNumber(number: "t2") { name hazard } } }');

    expect(data.company.thingByNumber).toEqual({ name: 'Thing 2', hazard: 'H0' });
  });
});

describe('a list', () => {
  test.each([
    ['', 'nodes { name }', ['things']],
    ['', 'nodes { name hazard }', ['things', 'thingExtensions']],
    ['(filter: { name: { eq: "Thing 2" } })', 'nodes { name hazard }', ['things', 'thingExtensions']],
    ['(filter: { hazard: { eq: "H1" } })', 'nodes { hazard id }', ['thingExtensions']],
    ['(filter: { hazard: { eq: "H1" } })', 'nodes { hazard name }', ['thingExtensions', 'things']],
    ['(orderBy: [{ field: SHELF_LIFE }])', 'nodes { hazard name }', ['thingExtensions', 'things']],
  ])('%s with %s is one call of each set: %s', async (args, fields, sets) => {
    const { upstream, list } = await start();

    const { errors } = await list(args, fields);

    expect(errors).toBeUndefined();
    expect(upstream.calls().map((call) => /\)\/(\w+)[?(]/.exec(call)?.[1])).toEqual(sets);
  });

  test('filtered and sorted by columns of the source has its order, and the fields of both', async () => {
    const { list } = await start();

    const { data } = await list(
      '(filter: { grade: { eq: HIGH } }, orderBy: [{ field: SHELF_LIFE, direction: ASC }])',
      'nodes { number shelfLife }',
    );

    expect(data.company.things.nodes).toEqual(
      [9, 7, 5, 1].map((at) => ({ number: `T${at}`, shelfLife: 10 - at })),
    );
  });

  test('of the source leaves out rows of records that its own set does not have, and its pages go on', async () => {
    const { upstream, query } = await start();
    upstream.remove('things', [9, 8, 7, 5].map(idOfThing));
    const page = (after: string | null) =>
      query(
        'query ($after: String) { company { things(first: 3, after: $after, orderBy: [{ field: SHELF_LIFE }]) { nodes { number } edges { cursor node { number } } pageInfo { startCursor endCursor hasNextPage } } } }',
        { after },
      );

    const first = (await page(null)).data.company.things;
    const second = (await page(first.pageInfo.endCursor)).data.company.things;
    const [edge] = second.edges;
    const third = (await page(edge.cursor)).data.company.things;

    expect(first).toMatchObject({ nodes: [], pageInfo: { startCursor: null, hasNextPage: true } });
    expect(second.nodes).toEqual([{ number: 'T6' }, { number: 'T4' }]);
    expect(edge.node).toEqual({ number: 'T6' });
    expect(third.nodes[0]).toEqual({ number: 'T4' });
  });

  test('pages by cursors of the source', async () => {
    const { query } = await start();
    const page = (after: string | null) =>
      query(
        'query ($after: String) { company { things(first: 3, after: $after, orderBy: [{ field: SHELF_LIFE }]) { nodes { number } pageInfo { endCursor hasNextPage } } } }',
        { after },
      );

    const first = (await page(null)).data.company.things;
    const second = (await page(first.pageInfo.endCursor)).data.company.things;

    expect([...first.nodes, ...second.nodes].map(({ number }) => number)).toEqual([
      'T9',
      'T8',
      'T7',
      'T6',
      'T5',
      'T4',
    ]);
  });

  test.each([
    '(filter: { hazard: { eq: "H1" }, name: { eq: "Thing 1" } })',
    '(filter: { or: [{ hazard: { eq: "H1" } }, { not: { name: { eq: "Thing 1" } } }] })',
    '(filter: { hazard: { eq: "H1" } }, orderBy: [{ field: NAME }])',
  ])('%s needs columns of two sets: nothing is read, and the error names them', async (args) => {
    const { upstream, list } = await start();

    const { errors } = await list(args, 'nodes { number }');

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors?.[0]?.message).toMatch(/`hazard`.*`(name|NAME)`|`(name|NAME)`.*`hazard`/);
    expect(upstream.calls()).toEqual([]);
  });

  test.each([
    ['', 'thingExtensions', { name: 'Thing 1', hazard: null }, 'hazard'],
    ['(filter: { hazard: { ne: null } })', '/things', { name: null, hazard: 'H1' }, 'name'],
  ])('%s has errors at the fields of the set that fails alone', async (args, set, node, field) => {
    const { upstream, list } = await start();
    upstream.fail(set, 500);

    const { data, errors } = await list(args, 'nodes { name hazard }');

    expect(data.company.things.nodes[0]).toEqual(node);
    expect(new Set(errors?.map((error) => (error.path as unknown[]).at(-1)))).toEqual(new Set([field]));
  });
});

test('a source with a field that the type has is refused', () => {
  const source = { route: 'a/b/v1.0', entitySet: 'others', fields: { name: 'text' } } as const;

  expect(() => addSources(things, { sources: { other: source } })).toThrow(
    'Thing has a field `name` already',
  );
  expect(() => addSources(things, { sources: { extension: { ...source, fields: {} } } })).toThrow(
    'Thing has a source `extension` already',
  );
});
