import { expect } from 'vitest';
import { sandboxCompanyId as companyId } from '../../../sandbox/seed/seed.ts';
import type { Json } from '../../support/json.ts';
import { startTestLayer, test } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

/** Type, the fields of the company that give one and many, the entity set, how many there are, the columns. */
const kinds = [
  ['PaymentTerm', 'paymentTerm', 'paymentTerms', 5, 'code displayName dueDateCalculation discountPercent'],
  ['ItemCategory', 'itemCategory', 'itemCategories', 7, 'code displayName lastModifiedDateTime'],
  [
    'UnitOfMeasure',
    'unitOfMeasure',
    'unitsOfMeasure',
    5,
    'code displayName internationalStandardCode symbol',
  ],
  ['Currency', 'currency', 'currencies', 3, 'code displayName symbol amountRoundingPrecision'],
  ['ShipmentMethod', 'shipmentMethod', 'shipmentMethods', 3, 'code displayName'],
  ['PaymentMethod', 'paymentMethod', 'paymentMethods', 3, 'code displayName'],
  ['Account', 'account', 'accounts', 12, 'number displayName category blocked'],
] as const;

test.for(kinds)(
  'every %s is returned in a list, by id and as an entity, with one call each',
  async ([type, one, many, count, columns], { layer, sandbox }) => {
    const fields = `id companyId etag ${columns}`;
    const list = await layer.query(`{ company { ${many} { totalCount nodes { ${fields} } } } }`);
    const { totalCount, nodes } = list.data.company[many];

    const byId = await layer.query(
      `query ($id: UUID!) { company { ${one}(id: $id) { ${fields} company { id } } } }`,
      nodes[1],
    );
    const entities = await layer.query(
      `query ($all: [_Any!]!) { _entities(representations: $all) { ... on ${type} { ${fields} } } }`,
      { all: nodes.map(({ id }: { id: string }) => ({ __typename: type, companyId, id })) },
    );

    for (const { errors } of [list, byId, entities]) expect(errors).toBeUndefined();
    expect(totalCount).toBe(count);
    for (const node of nodes) expect(node.etag).toMatch(/^W\/"/);
    expect(byId.data.company[one]).toEqual({ ...nodes[1], company: { id: companyId } });
    expect(entities.data._entities).toEqual(nodes);
    const address = `/api/v2.0/companies(${companyId})/${many}`;
    const select = `$select=id,${columns.replaceAll(' ', ',')}`;
    const [listed, read, ...looked] = (await sandbox.calls()).map(({ path }) => path);
    expect(listed).toBe(`${address}?$count=true&${select}`);
    expect(read).toBe(`${address}(${nodes[1].id})?${select}`);
    expect(looked).toHaveLength(1);
    expect(looked[0]).toContain(`${address}?$filter=id%20eq%20`);
  },
);

test.for(kinds)('a %s that does not exist is null, not an error', async ([type, one], { layer }) => {
  const id = '99999999-0000-4000-8000-000000000000';

  const { data, errors } = await layer.query(
    `query ($id: UUID!, $all: [_Any!]!) {
      company { ${one}(id: $id) { id } } _entities(representations: $all) { ... on ${type} { id } }
    }`,
    { id, all: [{ __typename: type, companyId, id }] },
  );

  expect(errors).toBeUndefined();
  expect(data).toEqual({ company: { [one]: null }, _entities: [null] });
});

test.for([
  [
    'customers',
    'paymentTerm paymentTermsId currency currencyId shipmentMethod shipmentMethodId paymentMethod paymentMethodId',
  ],
  ['salesOrders', 'paymentTerm paymentTermsId currency currencyId shipmentMethod shipmentMethodId'],
  ['salesQuotes', 'paymentTerm paymentTermsId currency currencyId shipmentMethod shipmentMethodId'],
  ['items', 'category itemCategoryId unitOfMeasure baseUnitOfMeasureId'],
] as const)(
  'records that %s refer to are expanded in their one call, and unset references are null',
  async ([list, names], { layer, sandbox }) => {
    const words = names.split(' ');
    const pairs = words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : []));
    const asked = pairs.map(
      ([relation, id]) => `${relation} { id companyId displayName company { id } } ${id}`,
    );

    const { data, errors } = await layer.query(
      `{ company { ${list}(first: 200) { nodes { ${asked.join(' ')} } } } }`,
    );

    expect(errors).toBeUndefined();
    const { nodes } = data.company[list];
    for (const [relation = '', id = ''] of pairs) {
      const found = nodes.filter((node: Record<string, object>) => node[relation] !== null);
      expect(found.length, relation).toBeGreaterThan(0);
      for (const node of nodes) expect(node[relation]?.id ?? null, relation).toBe(node[id]);
      expect(found[0][relation]).toMatchObject({ companyId, company: { id: companyId } });
      expect(found[0][relation].displayName).toMatch(/\w/);
    }
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test('the accounts and units of order lines are expanded with the orders', async ({ layer, sandbox }) => {
  const { data, errors } = await layer.query(`{ company { salesOrders(first: 100) { nodes {
    documentLines { lineType accountId account { id number category } unitOfMeasureId unitOfMeasure { id symbol } }
  } } } }`);

  expect(errors).toBeUndefined();
  const lines = data.company.salesOrders.nodes.flatMap((order: Json) => order.documentLines);
  for (const { lineType, accountId, account, unitOfMeasureId, unitOfMeasure } of lines) {
    expect(account?.id ?? null).toBe(accountId);
    expect(account?.category).toBe(lineType === 'Account' ? 'Income' : undefined);
    expect(unitOfMeasure?.id ?? null).toBe(unitOfMeasureId);
  }
  expect(lines.some(({ account }: { account: object | null }) => account)).toBe(true);
  const [call, ...others] = await sandbox.calls();
  expect(others).toEqual([]);
  expect(call?.path).toContain(
    '$expand=salesOrderLines($select=lineType,accountId,unitOfMeasureId;$expand=account($select=id,number,category),unitOfMeasure($select=id,symbol))',
  );
});

test('the items of a category are those assigned to it, and never in the shape that lacks the category', async ({
  layer,
  sandbox,
}) => {
  const { data, errors } = await layer.query(`{ company { itemCategories { nodes {
    id items(first: 200, filter: { blocked: { eq: false } }) {
      totalCount nodes { itemCategoryId blocked baseUnitOfMeasure { unitName } category { id } }
    }
  } } } }`);

  expect(errors).toBeUndefined();
  for (const { id, items } of data.company.itemCategories.nodes) {
    expect(items.nodes).toHaveLength(items.totalCount);
    expect(items.totalCount).toBeGreaterThan(5);
    for (const item of items.nodes)
      expect(item).toEqual({
        itemCategoryId: id,
        blocked: false,
        baseUnitOfMeasure: { unitName: expect.stringMatching(/\w/) },
        category: { id },
      });
  }
  await sandbox.forgetCalls();
  const pinned = await layer.query(
    '{ company { itemCategories(first: 1) { nodes { items(version: V1) { nodes { id } } } } } }',
  );
  expect(pinned.errors).toMatchObject([
    { message: expect.stringContaining('`itemCategoryId`'), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
  expect(await sandbox.calls()).toHaveLength(1);
});

test("a customer's orders are those that name the customer", async ({ layer }) => {
  const list = await layer.query('{ company { salesOrders(first: 1000) { nodes { id customerId } } } }');
  const orders: { id: string; customerId: string }[] = list.data.company.salesOrders.nodes;

  const { data, errors } = await layer.query(
    '{ company { customers(first: 300) { nodes { id salesOrders { totalCount nodes { id customerId customer { id } } } } } } }',
  );

  expect(errors).toBeUndefined();
  for (const { id, salesOrders } of data.company.customers.nodes) {
    const own = orders.filter(({ customerId }) => customerId === id);
    expect(salesOrders.totalCount).toBe(own.length);
    expect(salesOrders.nodes).toEqual(own.map((order) => ({ ...order, customer: { id } })));
  }
});

test('a relation that an upstream does not expand is read by its id, with one call for all of a kind', async () => {
  const idOf = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
  const terms = [idOf('a'), idOf('b')].map((id) => ({ id, code: id.slice(0, 3) }));
  const unset = '00000000-0000-0000-0000-000000000000';
  const customers = [idOf('a'), idOf('b'), idOf('a'), unset].map((paymentTermsId, index) => ({
    id: idOf(String(index)),
    paymentTermsId,
    // Of the second, something that is no record comes along.
    ...(index === 1 && { paymentTerm: { code: 'no id' } }),
    // Versions of the real service empty expansions: beside an id null says nothing.
    currencyId: idOf(index === 0 ? 'c' : 'd'),
    currency: null,
    // Without one it is an answer: nothing is read for it.
    shipmentMethodId: unset,
    shipmentMethod: null,
  }));
  const currencies = [{ id: idOf('c'), code: 'NOK' }];
  const stub = await startStub(({ target }) => ({
    body: {
      value: target.includes('/paymentTerms?')
        ? terms
        : target.includes('/currencies?')
          ? currencies
          : customers,
    },
  }));
  const layer = await startTestLayer(stub.url);

  const { data, errors } = await layer.query(
    '{ company { customers { nodes { paymentTerm { code } currency { code } shipmentMethod { code } } } } }',
  );
  await layer.stop();
  stub.stop();

  expect(errors).toBeUndefined();
  const expected = [{ code: 'aaa' }, { code: 'bbb' }, { code: 'aaa' }, null];
  expect(data.company.customers.nodes).toEqual(
    expected.map((paymentTerm, index) => ({
      paymentTerm,
      currency: index === 0 ? { code: 'NOK' } : null,
      shipmentMethod: null,
    })),
  );
  expect(stub.requests).toHaveLength(3);
  expect(
    stub.requests.map(({ target }) => target).find((target) => target.includes('/paymentTerms?')),
  ).toContain(`/paymentTerms?$filter=id%20eq%20${idOf('a')}%20or%20id%20eq%20${idOf('b')}&$select=id,code`);
});

test.for([
  ['customers', 'paymentTerm', 'paymentTermsId', 'paymentTerms'],
  ['customers', 'currency', 'currencyId', 'currencies'],
  ['customers', 'shipmentMethod', 'shipmentMethodId', 'shipmentMethods'],
  ['customers', 'paymentMethod', 'paymentMethodId', 'paymentMethods'],
  ['salesOrders', 'paymentTerm', 'paymentTermsId', 'paymentTerms'],
  ['salesQuotes', 'currency', 'currencyId', 'currencies'],
  ['salesQuotes', 'shipmentMethod', 'shipmentMethodId', 'shipmentMethods'],
  ['items', 'category', 'itemCategoryId', 'itemCategories'],
  ['items', 'unitOfMeasure', 'baseUnitOfMeasureId', 'unitsOfMeasure'],
  ['salesOrders', 'documentLines account', 'accountId', 'accounts'],
  ['salesQuotes', 'salesQuoteLines unitOfMeasure', 'unitOfMeasureId', 'unitsOfMeasure'],
] as const)(
  'where an upstream ignores $expand, %s have %s by %s',
  async ([list, relation, idField, target]) => {
    const [id, other] = ['aaaaaaaa-0000-4000-8000-000000000000', 'bbbbbbbb-0000-4000-8000-000000000000'];
    const [outer = '', inner] = relation.split(' ');
    const row = { id: other, [idField]: id };
    const value = [inner ? { id: other, salesOrderLines: [row], salesQuoteLines: [row] } : row];
    const stub = await startStub((request) =>
      request.target.includes(`/${target}(${id})`) ? { body: { id } } : { body: { value } },
    );
    // In the dialect document lines have no such ids.
    const layer = await startTestLayer(stub.url, inner ? { BUSINESS_DIALECT: 'dynamics' } : {});

    const { data, errors } = await layer.query(
      `{ company { ${list} { nodes { ${outer} { ${inner ? `${inner} { id }` : 'id'} } } } } }`,
    );
    await layer.stop();
    stub.stop();

    expect(errors).toBeUndefined();
    const [node] = data.company[list].nodes;
    expect(inner ? node[outer][0][inner] : node[outer]).toEqual({ id });
    expect(stub.requests.map((request) => request.target.replace(/.*\/companies\([^)]*\)/, ''))).toEqual([
      expect.stringMatching(/\$expand=/),
      `/${target}(${id})?$select=id`,
    ]);
  },
);
