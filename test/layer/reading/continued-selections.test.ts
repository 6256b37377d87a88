import { expect, test as plainTest } from 'vitest';
import type { Json } from '../../support/json.ts';
import { startBeforeStub, type TestLayer, test } from '../../support/layer.ts';

async function read(layer: TestLayer, list: string, page: string, selection: string): Promise<Json> {
  return (await layer.read(`{ company { list: ${list}(${page}) { ${selection} } } }`)).company.list;
}

const end = 'pageInfo { endCursor hasNextPage }';

// The sandbox continues a list with the columns of its first page, as an upstream may whose next links are opaque.
test('a page after one with another selection has what is selected of it, by one call more', async ({
  layer,
  sandbox,
}) => {
  const selected = 'number displayName city creditLimit taxLiable etag currency { code }';
  const whole = await read(layer, 'customers', 'first: 13', `nodes { ${selected} }`);
  const { pageInfo } = await read(layer, 'customers', 'first: 5', `nodes { number } ${end}`);
  await sandbox.forgetCalls();

  const next = await read(
    layer,
    'customers',
    `first: 8, after: "${pageInfo.endCursor}"`,
    `nodes { ${selected} } ${end}`,
  );

  expect(next.nodes).toEqual(whole.nodes.slice(5));
  const calls = await sandbox.calls();
  expect(calls.filter(({ path }) => path.includes('/customers'))).toHaveLength(2);
});

/** Five customers, two a page and without cities from the second page on; the fourth is deleted before it is read by its id. */
const startBeforeForgetful = () =>
  startBeforeStub(({ target }) => {
    const rows = ['1', '2', '3', '4', '5'].map((digit) => ({
      id: `${digit.repeat(8)}-0000-4000-8000-000000000000`,
      number: digit,
    }));
    const next = (token: string) => ({ '@odata.nextLink': `?$skiptoken=${token}` });
    if (target.includes('$filter='))
      return {
        body: {
          value: rows
            .filter(({ id, number }) => number !== '4' && decodeURIComponent(target).includes(id))
            .map((row) => ({ ...row, city: 'Oslo' })),
        },
      };
    if (target.includes('$skiptoken=two')) return { body: { value: rows.slice(2, 5), ...next('three') } };
    if (target.includes('$skiptoken')) return { body: { value: [] } };
    return { body: { value: rows.slice(0, 2), ...next('two') } };
  });

plainTest(
  'a record that is deleted meanwhile is left out, and the cursors lead on behind the others',
  async () => {
    const { layer } = await startBeforeForgetful();
    const { pageInfo } = await read(layer, 'customers', 'first: 2', `nodes { number } ${end}`);

    const { edges } = await read(
      layer,
      'customers',
      `first: 3, after: "${pageInfo.endCursor}"`,
      'edges { cursor node { number city } }',
    );
    expect(edges.map(({ node }: Json) => node)).toEqual([
      { number: '3', city: 'Oslo' },
      { number: '5', city: 'Oslo' },
    ]);
    const behind = await read(
      layer,
      'customers',
      `first: 3, after: "${edges[0].cursor}"`,
      'nodes { number }',
    );
    expect(behind.nodes).toEqual([{ number: '4' }, { number: '5' }]);
    const last = await read(layer, 'customers', `first: 3, after: "${edges[1].cursor}"`, 'nodes { number }');
    expect(last.nodes).toEqual([]);
  },
);
