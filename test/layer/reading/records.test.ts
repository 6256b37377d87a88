import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test } from '../../support/layer.ts';

test("the same list of two companies in one request is each company's own", async ({ layer }) => {
  const { data: all } = await layer.query('{ companies { nodes { id } } }');
  const ids = all.companies.nodes.map(({ id }: { id: string }) => id);
  const { data } = await layer.query(
    'query ($a: UUID!, $b: UUID!) { a: company(id: $a) { ...own } b: company(id: $b) { ...own } } fragment own on Company { customers(first: 2) { nodes { companyId } } }',
    { a: ids[0], b: ids[1] },
  );
  for (const [name, id] of [
    ['a', ids[0]],
    ['b', ids[1]],
  ])
    expect(data[name].customers.nodes.map(({ companyId }: { companyId: string }) => companyId)).toEqual([
      id,
      id,
    ]);
});

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

const { customerId: id } = sandboxExamples;

const address = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;

const read = `query ($id: UUID!) { company { customer(id: $id) { etag displayName phoneNumber city } } }`;

test('a customer by id takes one call for the requested columns', async ({ layer, sandbox }) => {
  const { data, errors } = await layer.query(read, { id });

  expect(errors).toBeUndefined();
  expect(data.company.customer.etag).toMatch(/^W\/"/);
  const calls = await sandbox.calls();
  expect(calls.map(({ path }) => path)).toEqual([`${address}?$select=id,displayName,city,phoneNumber`]);
});

test('a number is asked for in the upper case of .NET', async ({ layer, sandbox }) => {
  const { data } = await layer.query('{ company { customerByNumber(number: "ı10ſa") { id } } }');

  expect(data).toEqual({ company: { customerByNumber: null } });
  const [call] = await sandbox.calls();
  expect(decodeURIComponent(call?.path ?? '')).toContain("number eq 'ı10ſA'");
});
