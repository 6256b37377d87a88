import { describe, expect } from 'vitest';
import { sandboxCompanyId as companyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { test } from '../../support/layer.ts';
import { place, stopInstance } from '../../support/operations.ts';

const entities = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Customer { id displayName }
    ... on Item { id itemCategoryCode baseUnitOfMeasure { unitName } }
    ... on Company { id name }
    ... on HealthEvent { scope title }
    ... on InstanceOperation { handle: id state }
  }
}`;

test('the schema is a federation 2 subgraph, with the SDL that is printed for composition', async ({
  layer,
}) => {
  const { data, errors } = await layer.query('{ _service { sdl } }');

  expect(errors).toBeUndefined();
  expect(data._service.sdl).toBe(subgraphSdl());
  expect(data._service.sdl).toContain('federation/v2');
});

describe('entities resolve through the loaders', () => {
  const hundred = <Key extends object>(keys: readonly Key[]): Key[] =>
    Array.from({ length: 100 }, (_, index) => keys[index % keys.length] as Key);

  test.for([
    ['Customer', 'customers'],
    ['SalesOrder', 'salesOrders'],
    ['Currency', 'currencies'],
  ])('a hundred of %s take one call', async ([type, list], { layer, sandbox }) => {
    const listed = await layer.query(`{ company { ${list}(first: 100) { nodes { id } } } }`);
    const nodes: { id: string }[] = listed.data.company[list as string].nodes;
    expect(nodes.length).toBeGreaterThan(0);
    await sandbox.forgetCalls();

    const { data, errors } = await layer.query(
      `query ($of: [_Any!]!) { _entities(representations: $of) { ... on ${type} { id etag } } }`,
      { of: hundred(nodes).map(({ id }) => ({ __typename: type, companyId, id })) },
    );

    expect(errors).toBeUndefined();
    expect(data._entities.map(({ id }: { id: string }) => id)).toEqual(hundred(nodes).map(({ id }) => id));
    const calls = await sandbox.calls();
    expect(calls).toHaveLength(1);
    expect(calls[0]?.parts).toBeUndefined();
  });

  test('a company of which only the key is selected is not read', async ({ layer, sandbox }) => {
    const { data } = await layer.query(
      `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Company { id customers(first: 1) { nodes { id } } } } }`,
      { of: [{ __typename: 'Company', id: companyId }] },
    );

    expect(data._entities[0].customers.nodes).toHaveLength(1);
    const [call, ...others] = await sandbox.calls();
    expect(call?.path).toContain('/customers?');
    expect(others).toEqual([]);
  });

  test('each health event is fetched once, for all references to it', async ({ layer, sandbox }) => {
    const { data: listed } = await layer.query('{ healthEvents(first: 20) { nodes { scope trackingId } } }');
    const keys: { scope: string; trackingId: string }[] = listed.healthEvents.nodes;
    await sandbox.forgetCalls();

    const { data, errors } = await layer.query(
      `query ($of: [_Any!]!) { _entities(representations: $of) { ... on HealthEvent { scope trackingId title } } }`,
      { of: hundred(keys).map((key) => ({ __typename: 'HealthEvent', ...key })) },
    );

    expect(errors).toBeUndefined();
    expect(data._entities).toMatchObject(hundred(keys));
    expect(keys.length).toBeGreaterThan(5);
    expect(await sandbox.calls()).toHaveLength(keys.length);
  });

  test.for([
    ['VirtualInstance', {}, 'N01'],
    ['ApplicationInstance', { applicationInstanceName: 'app01' }, 'app01'],
  ] as const)(
    'a %s is read once, for all references to it',
    async ([type, key, name], { layer, sandbox }) => {
      await sandbox.forgetCalls();

      const { data, errors } = await layer.query(
        `query ($of: [_Any!]!) { _entities(representations: $of) { ... on ${type} { name status } } }`,
        { of: hundred([{ __typename: type, ...place, ...key }]) },
      );

      expect(errors).toBeUndefined();
      expect(data._entities).toHaveLength(100);
      expect(data._entities[99]).toEqual({ name, status: expect.any(String) });
      expect(await sandbox.calls()).toHaveLength(1);
    },
  );
});

const missing = '99999999-0000-4000-8000-000000000000';

test('entities of every kind resolve side by side, and one that does not exist is null', async ({
  layer,
}) => {
  const { operation } = await stopInstance(layer, 'app01');

  const { data, errors } = await layer.query(entities, {
    representations: [
      { __typename: 'Item', companyId, id: sandboxExamples.itemId },
      { __typename: 'Customer', companyId, id: missing },
      { __typename: 'Company', id: companyId },
      { __typename: 'Company', id: missing },
      { __typename: 'HealthEvent', scope: 'tenant', trackingId: 'SI_1-QRT' },
      { __typename: 'HealthEvent', scope: 'tenant', trackingId: 'NO_0-ONE' },
      { __typename: 'InstanceOperation', id: operation.id },
      { __typename: 'Customer', companyId, id: sandboxExamples.customerId },
    ],
  });

  expect(errors).toBeUndefined();
  expect(data._entities).toMatchObject([
    { id: sandboxExamples.itemId, baseUnitOfMeasure: { unitName: expect.stringMatching(/\w/) } },
    null,
    { name: expect.stringMatching(/\w/) },
    null,
    { scope: 'tenant', title: expect.stringMatching(/\w/) },
    null,
    { handle: operation.id },
    { __typename: 'Customer', id: sandboxExamples.customerId },
  ]);
});

const customerId = sandboxExamples.customerId;

test.for([
  [{ __typename: 'Customer', companyId: '../v1.0', id: customerId }, 'bad `companyId`'],
  [{ __typename: 'Customer', id: customerId }, 'bad `companyId`'],
  [{ __typename: 'Customer', companyId, number: null }, 'bad `number`'],
  [{ __typename: 'Company' }, 'bad `id`'],
  [{ __typename: 'HealthEvent', scope: '..', trackingId: 'SI_1-QRT' }, '`subscriptionId`'],
  [{ __typename: 'HealthEvent', scope: 'tenant' }, 'bad `trackingId`'],
  [{ __typename: 'InstanceOperation', id: 'not a handle' }, 'handle'],
  [{ __typename: 'constructor' }, 'no entities of the type `constructor`'],
  [{ companyId, id: customerId }, '`__typename`'],
  ['Customer', '`__typename`'],
] as const)(
  '%j is an error of its own, and causes no further upstream call',
  async ([given, said], { layer, sandbox }) => {
    const good = { __typename: 'Customer', companyId, id: customerId };

    const { data, errors } = await layer.query(entities, { representations: [given, good] });

    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(said),
        path: ['_entities', 0],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    expect(data._entities).toMatchObject([null, { id: customerId }]);
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test('entities requested by two callers at once are read for each by itself', async ({ layer, sandbox }) => {
  const representations = [{ __typename: 'Customer', companyId, id: customerId }];
  const ask = (authorization: string) => layer.query(entities, { representations }, { authorization });
  await sandbox.fault({ delayMs: 200, times: 4 });

  const both = await Promise.all([
    ask('Bearer canary-one'),
    ask('Bearer canary-two'),
    ask('Bearer canary-one'),
  ]);

  for (const { data } of both) expect(data._entities[0].id).toBe(customerId);
  const tokens = (await sandbox.calls()).map(({ headers }) => headers.authorization);
  expect(new Set(tokens).size).toBe(2);
  expect(tokens).toHaveLength(2);
});
