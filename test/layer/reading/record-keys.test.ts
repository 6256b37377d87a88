import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeNodeId } from '../../../src/graph/nodes.ts';
import { createRecordGraph, stubCompanyId } from '../../support/cases/record-graph.ts';
import { northwindSdl, northwindTypes, oddTexts, startNorthwind } from '../../support/upstreams/northwind.ts';

async function start(dialect: 'document' | 'dynamics' = 'document') {
  const upstream = await startNorthwind();
  onTestFinished(() => upstream.stop());
  const graph = createRecordGraph({
    url: upstream.url,
    recordTypes: northwindTypes,
    sdl: northwindSdl,
    dialect,
  });
  return { upstream, ...graph };
}

const company = `companies(${stubCompanyId})`;
const idOfDetail = (order: number, code: string) => `OrderID=${order},Code='${code.replaceAll("'", "''")}'`;

describe('a record whose key is a text', () => {
  test.each(['ALFKI', ...oddTexts])('is read by its address: %s', async (code) => {
    const { query, upstream } = await start();

    const { data, errors } = await query('query ($id: ID!) { company { buyer(id: $id) { id Code name } } }', {
      id: code,
    });

    expect(errors).toBeUndefined();
    expect(data.company.buyer).toMatchObject({ id: code, Code: code });
    expect(upstream.calls()).toEqual([
      `GET /api/contoso/app/v1.0/${company}/Buyers('${code.replaceAll("'", "''")}')?$select=Code,name`,
    ]);
    const [, path = ''] = upstream.requests[0]?.target.split('contoso/app/v1.0/') ?? [];
    expect(path.split('/')).toHaveLength(2);
    expect(path).not.toMatch(/[#&+ ]/);
  });

  test('is found with others by one filter, whatever their texts are', async () => {
    const { query, upstream } = await start();
    const ids = [...oddTexts, 'nobody'];

    const fields = ids.map((_id, at) => `b${at}: buyer(id: $i${at}) { id name }`).join(' ');
    const { data } = await query(
      `query (${ids.map((_id, at) => `$i${at}: ID!`).join(' ')}) { company { ${fields} } }`,
      Object.fromEntries(ids.map((id, at) => [`i${at}`, id])),
    );

    expect(ids.map((_id, at) => data.company[`b${at}`]?.id ?? null)).toEqual([...oddTexts, null]);
    expect(upstream.requests).toHaveLength(1);
  });

  test('is null where there is none, and costs no call where no record can have the id', async () => {
    const { query, upstream } = await start();
    const read = (id: string) => query('query ($id: ID!) { company { buyer(id: $id) { name } } }', { id });

    expect(await read('NOONE')).toEqual({ data: { company: { buyer: null } } });
    upstream.forget();
    const { data, errors } = await read('x'.repeat(251));
    expect(data.company.buyer).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors?.[0]?.message).toContain('is not the `id` of a Buyer');
    expect(upstream.calls()).toEqual([]);
  });

  test('has its key among the columns of a list, and leads to lists and records by it', async () => {
    const { query, upstream } = await start();

    const { data } = await query(`{ company { buyers(first: 3, filter: { Code: { eq: "O'Hara" } }) {
      nodes { id category { id name } details { nodes { id quantity buyer { id name } } } } } } }`);

    expect(data.company.buyers.nodes).toEqual([
      {
        id: "O'Hara",
        category: { id: '2', name: 'Public' },
        details: {
          nodes: [
            { id: idOfDetail(10_249, "O'Hara"), quantity: 1, buyer: { id: "O'Hara", name: 'Buyer 1' } },
          ],
        },
      },
    ]);
    expect(upstream.calls()).toHaveLength(4);
  });

  test('has a file at an address with its key', async () => {
    const { query } = await start('dynamics');

    const { data } = await query('{ company { buyer(id: "a/b") { picture { name } } } }');

    expect(data.company.buyer.picture.name).toBe('Buyer-a_b');
  });
});

describe('a record whose key is a number', () => {
  test.each(['01', '+1', '1.0', '1e0', ' 1', '-0', '0x1', '1)', '99999999999', ''])(
    'has one id: %j is refused without a call',
    async (id) => {
      const { query, upstream } = await start();

      const { errors } = await query('query ($id: ID!) { company { category(id: $id) { name } } }', { id });

      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
      expect(upstream.calls()).toEqual([]);
    },
  );

  test('is read by a bare literal, also where GraphQL is given a number', async () => {
    const { query, upstream } = await start();

    const { data } = await query('{ company { category(id: 2) { id name } } }');

    expect(data.company.category).toEqual({ id: '2', name: 'Public' });
    expect(upstream.calls()).toEqual([`GET /api/v2.0/${company}/Categories(2)?$select=Number,name`]);
  });

  test('is expanded and matched by its key', async () => {
    const { query, upstream } = await start();

    const { data } = await query('{ company { buyers(first: 2) { nodes { id category { id name } } } } }');

    // The stub expands nothing: what did not come is loaded by key.
    expect(data.company.buyers.nodes[1].category).toEqual({ id: '2', name: 'Public' });
    expect(upstream.calls()[0]).toContain('$expand=Category($select=Number,name)');
  });
});

describe('a record whose key has several columns', () => {
  test.each(['ALFKI', ...oddTexts])('is read by all of them: %s', async (code) => {
    const { query } = await start();
    const order = 10_248 + (['ALFKI', ...oddTexts].indexOf(code) % 3);
    const id = idOfDetail(order, code);

    const { data } = await query('query ($id: ID!) { company { detail(id: $id) { id BuyerCode } } }', { id });

    expect(data.company.detail).toEqual({ id, BuyerCode: code });
  });

  test.each([
    "Code='ALFKI',OrderID=10248",
    "OrderID=010248,Code='ALFKI'",
    "OrderID=10248, Code='ALFKI'",
    'OrderID=10248,Code=ALFKI',
    'OrderID=10248',
    "OrderID=10248,Code='ALFKI',Code='ALFKI'",
    "OrderID=10248,Code='ALFKI'x",
    "OrderID=10248,Code='AL'FKI'",
    "OrderID=10248,Code='",
    '10248',
  ])('has one id: %s is refused without a call', async (id) => {
    const { query, upstream } = await start();

    const { errors } = await query('query ($id: ID!) { company { detail(id: $id) { quantity } } }', { id });

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(upstream.calls()).toEqual([]);
  });

  test.each([
    ['document', 'GET'],
    ['dynamics', 'POST'],
  ] as const)('is looked up with others in one call in the dialect %s', async (dialect, method) => {
    const { query, upstream } = await start(dialect);
    const codes = ['ALFKI', "O'Hara", 'a/b', 'nobody'];

    const fields = codes.map((_c, at) => `d${at}: detail(id: $i${at}) { quantity }`).join(' ');
    const orders = [10_248, 10_249, 10_248, 10_248];
    const { data } = await query(
      `query (${codes.map((_c, at) => `$i${at}: ID!`).join(' ')}) { company { ${fields} } }`,
      Object.fromEntries(codes.map((code, at) => [`i${at}`, idOfDetail(orders[at] ?? 0, code)])),
    );

    expect(codes.map((_c, at) => data.company[`d${at}`]?.quantity ?? null)).toEqual([0, 1, null, null]);
    expect(upstream.requests.map((request) => request.method)).toEqual([method]);
  });
});

describe('a node id', () => {
  test('of such a record is read, and names it in one form only', async () => {
    const { query, upstream } = await start();
    const nodeIdOf = (type: string, id: string) => encodeNodeId(type, [stubCompanyId, id]);
    const read = (nodeId: string) =>
      query(
        'query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId ... on Buyer { id } ... on Detail { quantity } } }',
        {
          nodeId,
        },
      );
    const buyer = nodeIdOf('Buyer', "x') or (1 eq 1");
    const detail = nodeIdOf('Detail', idOfDetail(10_248, 'ALFKI'));

    expect((await read(buyer)).data.node).toEqual({ nodeId: buyer, id: "x') or (1 eq 1" });
    expect((await read(detail)).data.node).toEqual({ nodeId: detail, quantity: 0 });
    upstream.forget();
    for (const nodeId of [nodeIdOf('Category', '01'), nodeIdOf('Detail', "Code='ALFKI',OrderID=10248")])
      expect((await read(nodeId)).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(upstream.calls()).toEqual([]);
  });

  test('representations of a router are found by the key, and a bad one fails alone', async () => {
    const { query } = await start();
    const representations = ['ALFKI', 'a/b', 'x'.repeat(300)].map((id) => ({
      __typename: 'Buyer',
      companyId: stubCompanyId,
      id,
    }));

    const { data, errors } = await query(
      'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Buyer { id } } }',
      { representations },
    );

    expect(data._entities).toEqual([{ id: 'ALFKI' }, { id: 'a/b' }, null]);
    expect(errors).toMatchObject([{ path: ['_entities', 2], extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

test('reads of several APIs are a batch of each', async () => {
  const { query, upstream } = await start();

  await query(`{ company {
    a: categories(first: 1) { nodes { name } } b: categories(first: 2) { nodes { name } }
    c: categories(first: 3) { nodes { name } }
    d: buyers(first: 1) { nodes { name } } e: buyers(first: 2) { nodes { name } } f: details(first: 1) { nodes { id } }
  } }`);

  expect(upstream.requests.map(({ method, target }) => `${method} ${target}`).sort()).toEqual([
    'POST /api/contoso/app/v1.0/$batch',
    'POST /api/v2.0/$batch',
  ]);
});
