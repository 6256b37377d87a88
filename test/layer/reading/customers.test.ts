import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test } from '../../support/layer.ts';

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

test("the upstream's unset values never reach a caller", async ({ layer, sandbox }) => {
  const { data } = await layer.query(`{
    company { customers(first: 300) { nodes {
      blocked currencyId website addressLine2 taxAreaId shipmentMethodId paymentMethodId lastModifiedDateTime
    } } }
  }`);

  const answered = JSON.stringify(data.company.customers.nodes);
  const raw = await (await sandbox.send('GET', `/api/v2.0/companies(${sandboxCompanyId})/customers`)).text();
  for (const standIn of ['""', '"00000000-0000-0000-0000-000000000000"']) {
    expect(raw).toContain(standIn);
    expect(answered).not.toContain(standIn);
  }
  const blocked = data.company.customers.nodes.map((node: Record<string, string>) => node.blocked);
  expect(new Set(blocked)).toEqual(new Set([null, 'Ship', 'Invoice', 'All']));
});

test('values of another type than their column are errors at their fields, and the rest of the record is unaffected', async ({
  layer,
  sandbox,
}) => {
  const odd = {
    id,
    displayName: 'Northwind',
    lastModifiedDateTime: { toString: 1 },
    currencyId: { a: 1 },
    taxLiable: 'yes',
    city: [],
  };
  await sandbox.fault({ path: '/customers', times: 2, status: 200, body: odd });
  const fields = 'displayName lastModifiedDateTime currencyId taxLiable city';
  const expected = {
    displayName: 'Northwind',
    lastModifiedDateTime: null,
    currencyId: null,
    taxLiable: null,
    city: null,
  };

  const read = await layer.query(`query ($id: UUID!) { company { customer(id: $id) { ${fields} } } }`, {
    id,
  });
  const changed = await layer.query(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { ${fields} } userErrors { code } } }`,
    {
      input: { id, ifMatch: '*', patch: { city: 'Oslo' } },
    },
  );

  const unreadable = ['lastModifiedDateTime', 'currencyId', 'taxLiable', 'city'];
  const at = (...path: string[]) =>
    unreadable.map((field) => [[...path, field].join('.'), 'UPSTREAM_BAD_RESPONSE']).sort();
  const told = ({ errors = [] }: typeof read) =>
    errors.map(({ path, extensions }) => [path?.join('.'), extensions.code]).sort();
  expect(told(read)).toEqual(at('company', 'customer'));
  expect(read.data.company.customer).toEqual(expected);
  expect(told(changed)).toEqual(at('updateCustomer', 'customer'));
  expect(changed.data.updateCustomer).toEqual({ customer: expected, userErrors: [] });
});

test('a number is asked for in the upper case of .NET', async ({ layer, sandbox }) => {
  const { data } = await layer.query('{ company { customerByNumber(number: "ı10ſa") { id } } }');

  expect(data).toEqual({ company: { customerByNumber: null } });
  const [call] = await sandbox.calls();
  expect(decodeURIComponent(call?.path ?? '')).toContain("number eq 'ı10ſA'");
});
