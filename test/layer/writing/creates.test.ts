import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const inDocument = testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' });
const inDynamics = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });
const dialects = [
  ['document', inDocument],
  ['dynamics', inDynamics],
] as const;

type Values = Readonly<Record<string, unknown>>;

const id = '00c0ffee-0000-4000-8000-000000000001';

async function create(layer: TestLayer, type: string, fields: string, input: Values) {
  const { data, errors } = await layer.query(
    `mutation ($input: Create${type}Input!) { done: create${type}(input: $input) {
      record: ${type.charAt(0).toLowerCase()}${type.slice(1)} { ${fields} } userErrors { code message path upstream { code message } }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.done;
}

const postsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));

describe.each(dialects)('in the dialect %s', (_dialect, test) => {
  test.for([
    ['Customer', { displayName: 'Fram' }],
    ['Item', {}],
  ] as const)(
    'a new %s has the number and the id that the input gives',
    async ([type, least], { layer, sandbox }) => {
      const { record, userErrors } = await create(layer, type, 'id number', {
        ...least,
        id,
        number: 'own-7',
      });

      expect(userErrors).toEqual([]);
      expect(record).toEqual({ id, number: 'OWN-7' });
      expect(await postsOf(sandbox)).toEqual([{ ...least, id, number: 'own-7' }]);
    },
  );

  test.for([
    ['Customer', 'C13000', { displayName: 'Fram' }],
    ['SalesQuote', 'S-QUO1061', { customerNumber: 'C10000' }],
  ] as const)(
    'a new %s without a number has the next of the series, %s',
    async ([type, number, least], { layer, sandbox }) => {
      const { record, userErrors } = await create(layer, type, 'id number', least);

      expect(userErrors).toEqual([]);
      expect(record.number).toBe(number);
      expect(await sandbox.calls()).toHaveLength(1);
    },
  );

  test('a record is created in the given company', async ({ layer, sandbox }) => {
    const { data } = await layer.query('{ companies { nodes { id } } }');
    const companyId = data.companies.nodes.find((one: Values) => one.id !== sandboxCompanyId).id;
    await sandbox.forgetCalls();

    const { record } = await create(
      layer,
      'Item',
      'companyId company { item(id: "00c0ffee-0000-4000-8000-000000000001") { id } }',
      { companyId, id },
    );

    expect(record).toEqual({ companyId, company: { item: { id } } });
    expect((await sandbox.calls())[0]?.path).toBe(`/api/v2.0/companies(${companyId})/items`);
  });
});
