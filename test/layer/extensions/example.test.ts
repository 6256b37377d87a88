import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { expect, onTestFinished } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { startTestLayer, testWith } from '../../support/layer.ts';

const EXTENSIONS = 'examples/extension';
const test = testWith({}, { EXTENSIONS });

interface Node {
  readonly id: string;
  readonly number: string;
  readonly balanceDue: string;
  readonly loyaltyPoints: number;
  readonly orderCount: number;
}

test('fields of an extension are resolved from the columns that they read, and by one call for all records', async ({
  layer,
}) => {
  const list = (fields: string) => `{ company { customers(first: 20) { nodes { ${fields} } } } }`;
  const explain = { 'tributary-explain': '1' };
  const { data, errors, extensions } = await layer.query(list('loyaltyPoints orderCount'), {}, explain);
  const points = await layer.query(list('id loyaltyPoints'), {}, explain);
  const known = await layer.query(list('number balanceDue'));
  const orders = await layer.query('{ company { salesOrders(first: 1000) { nodes { customerNumber } } } }');

  expect(errors).toBeUndefined();
  expect(extensions?.upstream.map(({ path }) => path)).toEqual([
    expect.stringMatching(/\/customers\?\$select=id,number,balanceDue$/),
    expect.stringMatching(/\/salesOrders\?\$select=customerNumber&\$filter=customerNumber/),
  ]);
  expect(points.extensions?.upstream.map(({ path }) => path)).toEqual([
    expect.stringMatching(/\/customers\?\$select=id,balanceDue$/),
  ]);
  const numbers = orders.data.company.salesOrders.nodes.map(
    ({ customerNumber }: { readonly customerNumber: string }) => customerNumber,
  );
  const wanted = known.data.company.customers.nodes.map(({ number, balanceDue }: Node) => ({
    loyaltyPoints: Math.max(0, Math.floor(Number(balanceDue))),
    orderCount: numbers.filter((one: string) => one === number).length,
  }));
  expect(data.company.customers.nodes).toEqual(wanted);
  expect(wanted.some(({ orderCount }: Node) => orderCount > 0)).toBe(true);
});

test('records that come by `$expand`, by key and as entities have them, too', async ({ layer }) => {
  const { data } = await layer.query(
    '{ company { customers(first: 1) { nodes { id nodeId loyaltyPoints } } } }',
  );
  const [{ id, nodeId, loyaltyPoints }] = data.company.customers.nodes;
  const answer = await layer.query(
    `query ($of: [_Any!]!, $id: UUID!, $nodeId: ID!) {
      company { customer(id: $id) { loyaltyPoints } }
      node(nodeId: $nodeId) { ... on Customer { loyaltyPoints } }
      _entities(representations: $of) { ... on Customer { loyaltyPoints } }
      orders: company { salesOrders(first: 5) { nodes { customer { balanceDue loyaltyPoints } } } }
    }`,
    { id, nodeId, of: [{ __typename: 'Customer', companyId: sandboxCompanyId, id }] },
  );

  expect(answer.errors).toBeUndefined();
  expect(answer.data).toMatchObject({
    company: { customer: { loyaltyPoints } },
    node: { loyaltyPoints },
    _entities: [{ loyaltyPoints }],
  });
  for (const { customer } of answer.data.orders.salesOrders.nodes)
    expect(customer.loyaltyPoints).toBe(Math.max(0, Math.floor(Number(customer.balanceDue))));
});

test('root fields take arguments, are introspected, and count in the cost of a document', async ({
  layer,
  sandbox,
}) => {
  const { data } = await layer.query(
    '{ loyaltyLevels(tier: GOLD) { tier points } __type(name: "LoyaltyLevel") { name } }',
  );
  const limited = await startTestLayer(sandbox.url, { EXTENSIONS, MAX_COST: '45' });
  onTestFinished(() => limited.stop());
  const costs = (count: number) =>
    limited.query(
      `{ company { customers(first: 20) { nodes { ${Array.from({ length: count }, (_, at) => `f${at}: loyaltyPoints`).join(' ')} } } } }`,
    );
  const { errors } = await costs(2);

  expect((await costs(1)).errors).toBeUndefined();
  expect(data).toEqual({ loyaltyLevels: [{ tier: 'GOLD', points: 1000 }], __type: { name: 'LoyaltyLevel' } });
  expect(errors?.[0]?.extensions.code).toBe('QUERY_TOO_COMPLEX');
});

test('the subgraph composes with it, and prints no directive of declarations', async ({ layer }) => {
  const { data } = await layer.query('{ _service { sdl } }');
  const { errors, supergraphSdl } = composeServices([
    { name: 'tributary', typeDefs: parse(data._service.sdl), url: 'http://tributary.test/graphql' },
  ]);

  expect(errors).toBeUndefined();
  expect(supergraphSdl).toContain('loyaltyPoints: Int');
  expect(data._service.sdl).not.toContain('@reads');
});
