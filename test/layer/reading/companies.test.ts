import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { startTestLayer, test } from '../../support/layer.ts';

test('a company is read once for its own fields, and not at all for its records', async ({
  layer,
  sandbox,
}) => {
  await layer.query('{ company { customers(first: 1) { nodes { id } } } }');
  const before = await sandbox.calls();
  await sandbox.forgetCalls();

  const { data } = await layer.query('{ company { id name displayName systemVersion } }');

  expect(before.map(({ path }) => path)).toEqual([expect.stringContaining('/customers?')]);
  expect(data.company.name).toMatch(/\w/);
  expect((await sandbox.calls()).map(({ path }) => path)).toEqual([
    `/api/v2.0/companies(${sandboxCompanyId})?$select=id,name,displayName,systemVersion`,
  ]);
});

describe('a company that does not exist', () => {
  const missing = '99999999-0000-4000-8000-000000000000';
  const other = '12345678-0000-4000-8000-000000000000';

  test.for(['nodeId name', '__typename', 'homeCurrencyCode'])(
    'is null where only columns of its own are selected: %s',
    async (fields, { layer }) => {
      const { data, errors } = await layer.query(`{ company(id: "${missing}") { ${fields} } }`);

      expect([data, errors]).toEqual([{ company: null }, undefined]);
    },
  );

  test.for([
    ['one record', `customer(id: "${other}") { name: displayName }`, ['customer']],
    ['an item', `item(id: "${other}") { itemCategoryCode baseUnitOfMeasure { symbol } }`, ['item']],
  ] as const)('fails, and does not say that %s is missing', async ([, fields, failed], { layer }) => {
    const { errors } = await layer.query(`{ company(id: "${missing}") { ${fields} } }`);

    expect(errors).toMatchObject(
      failed.map((field) => ({
        path: ['company', field],
        extensions: { code: 'UPSTREAM_REJECTED', upstreamError: { code: 'Internal_CompanyNotFound' } },
      })),
    );
  });

  test('has no records by their keys: they are null', async ({ layer }) => {
    const customers = [missing, other].map((id) => ({ __typename: 'Customer', companyId: missing, id }));
    const query =
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Customer { displayName } } }';

    for (const representations of [customers, customers.slice(0, 1)]) {
      const { data, errors } = await layer.query(query, { of: representations });

      expect([data, errors]).toEqual([{ _entities: representations.map(() => null) }, undefined]);
    }
  });
});

test('without a default company the company must be given', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { BUSINESS_COMPANY_ID: '' });

  const { data, errors } = await layer.query('{ company { id } }');
  await layer.stop();

  expect(data).toEqual({ company: null });
  expect(errors).toMatchObject([
    { message: expect.stringContaining('Name the company'), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});
