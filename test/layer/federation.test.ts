import { expect } from 'vitest';
import { sandboxCompanyId as companyId, sandboxExamples } from '../../src/sandbox/seed/seed.ts';
import { test } from '../support/layer.ts';

const entities = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Customer { id displayName }
    ... on Item { id itemCategoryCode baseUnitOfMeasure { unitName } }
    ... on Company { id name }
    ... on HealthEvent { scope title }
  }
}`;

test('the schema offers itself as a federation 2 subgraph', async ({ layer }) => {
  const { data, errors } = await layer.query('{ _service { sdl } }');

  expect(errors).toBeUndefined();
  expect(data._service.sdl).toContain('federation/v2');
  expect(data._service.sdl).toContain('@key(fields: "companyId id")');
});

test('entities resolve through the loaders: one call for many of a kind', async ({ layer, sandbox }) => {
  const list = await layer.query('{ company { customers(first: 30) { nodes { id displayName } } } }');
  const { nodes } = list.data.company.customers;
  await sandbox.forgetCalls();

  const { data, errors } = await layer.query(entities, {
    representations: nodes.map(({ id }: { id: string }) => ({ __typename: 'Customer', companyId, id })),
  });

  expect(errors).toBeUndefined();
  expect(data._entities).toEqual(nodes.map((node: object) => ({ __typename: 'Customer', ...node })));
  expect(await sandbox.calls()).toHaveLength(1);
});

test('entities of every kind resolve side by side, and one that is not there is null', async ({ layer }) => {
  const { data, errors } = await layer.query(entities, {
    representations: [
      { __typename: 'Item', companyId, id: sandboxExamples.itemId },
      { __typename: 'Company', id: companyId },
      { __typename: 'HealthEvent', scope: 'tenant', trackingId: 'SI_1-QRT' },
      { __typename: 'Customer', companyId, id: '99999999-0000-4000-8000-000000000000' },
    ],
  });

  expect(errors).toBeUndefined();
  expect(data._entities).toMatchObject([
    { id: sandboxExamples.itemId, baseUnitOfMeasure: { unitName: expect.stringMatching(/\w/) } },
    { name: expect.stringMatching(/\w/) },
    { scope: 'tenant', title: expect.stringMatching(/\w/) },
    null,
  ]);
});

test.for([
  { __typename: 'Customer', companyId: '../v1.0', id: sandboxExamples.customerId },
  { __typename: 'Customer', companyId, id: `${sandboxExamples.customerId})/x` },
  { __typename: 'Customer', id: sandboxExamples.customerId },
  { __typename: 'HealthEvent', scope: '..', trackingId: 'SI_1-QRT' },
])('a representation cannot lead anywhere else: %j', async (representation, { layer, sandbox }) => {
  const { errors } = await layer.query(entities, { representations: [representation] });

  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(await sandbox.calls()).toEqual([]);
});
