import { describe, expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { test, testWith } from '../../support/layer.ts';

test('a list read again after a second update in one request shows the second update', async ({ layer }) => {
  const change = (
    alias: string,
    city: string,
  ) => `${alias}: updateCustomer(input: { id: "${sandboxExamples.customerId}", ifMatch: "*", patch: { city: "${city}" } }) {
    customer { company { customers(filter: { id: { eq: "${sandboxExamples.customerId}" } }) { nodes { city } } } } }`;
  const { data } = await layer.query(`mutation { ${change('a', 'Arles')} ${change('b', 'Bergen')} }`);
  expect(data.a.customer.company.customers.nodes).toEqual([{ city: 'Arles' }]);
  expect(data.b.customer.company.customers.nodes).toEqual([{ city: 'Bergen' }]);
});

test('an id of one company does not exist in another, even in one request', async ({ layer }) => {
  const { data: all } = await layer.query('{ companies { nodes { id } } company { id } }');
  const own = all.company.id;
  const other = all.companies.nodes.map(({ id }: { id: string }) => id).find((id: string) => id !== own);
  const { data } = await layer.query(
    'query ($own: UUID!, $other: UUID!, $id: UUID!) { a: company(id: $own) { customer(id: $id) { companyId } } b: company(id: $other) { customer(id: $id) { companyId } } }',
    { own, other, id: sandboxExamples.customerId },
  );
  expect(data).toEqual({ a: { customer: { companyId: own } }, b: { customer: null } });
});

test('a number is asked for in the upper case of .NET', async ({ layer, sandbox }) => {
  const { data } = await layer.query('{ company { customerByNumber(number: "ı10ſa") { id } } }');

  expect(data).toEqual({ company: { customerByNumber: null } });
  const [call] = await sandbox.calls();
  expect(decodeURIComponent(call?.path ?? '')).toContain("number eq 'ı10ſA'");
});

describe.each([
  ['document', test],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const)('what customers owe in the dialect %s', (dialect, test) => {
  test('one customer without receivables has none, once the set was read by the name of its key', async ({
    layer,
    sandbox,
  }) => {
    const value = [{ id: '11111111-0000-4000-8000-000000000000' }];
    await sandbox.fault({ path: '/customers', status: 200, body: { value } });

    const data = await layer.read(
      '{ company { customers(first: 1) { nodes { agedReceivables { balanceDue } } } } }',
    );

    expect(data.company.customers.nodes).toEqual([{ agedReceivables: null }]);
    const [, read, ...proof] = (await sandbox.calls()).map(({ path }) => path.replace(/.*\//, ''));
    expect(read).toBe(
      'agedAccountsReceivables(11111111-0000-4000-8000-000000000000)?$select=customerId,balanceDue',
    );
    // Only in the dialect `document` does the 404 prove that there is no such record.
    expect(proof).toEqual(
      dialect === 'document' ? [] : ['agedAccountsReceivables?$top=1&$select=customerId'],
    );
  });
});
