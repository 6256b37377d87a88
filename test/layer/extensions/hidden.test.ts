import { describe, expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const HIDDEN = [
  'Customer.balanceDue',
  'Customer.paymentTermsId',
  'Vendor',
  'Mutation.createCustomer',
  'Query.healthEvents',
].join();
const test = testWith({}, { HIDDEN });

test('hidden types and fields are absent from the SDL and introspection, and so is what derives from them', async ({
  layer,
}) => {
  const { data } = await layer.query(`{
    _service { sdl }
    __type(name: "Vendor") { name }
    filter: __type(name: "CustomerFilter") { inputFields { name } }
    records: __type(name: "RecordType") { enumValues { name } }
    query: __type(name: "Query") { fields { name } }
  }`);
  // Without descriptions.
  const sdl = data._service.sdl.replaceAll(/"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"/g, '');

  expect(data.__type).toBeNull();
  expect(data.filter.inputFields).not.toContainEqual({ name: 'balanceDue' });
  expect(data.filter.inputFields).toContainEqual({ name: 'displayName' });
  expect(data.records.enumValues).not.toContainEqual({ name: 'VENDOR' });
  expect(data.query.fields).not.toContainEqual({ name: 'healthEvents' });
  expect(sdl).toMatch(/\bCustomerFilter\b/);
  for (const word of [/\bVendor/, /\bvendors?\b/, /\b\w*Vendor(Input|Payload)\b/, /\bcreateCustomer\b/])
    expect(sdl).not.toMatch(word);
});

describe('documents', () => {
  test.for([
    ['{ company { customers(filter: { balanceDue: { gt: "0" } }) { nodes { id } } } }', 'balanceDue'],
    ['mutation { createCustomer(input: { displayName: "A" }) { customer { id } } }', 'createCustomer'],
    [
      'mutation { batch(input: { entries: [{ createCustomer: { displayName: "A" } }] }) { results { __typename } } }',
      'createCustomer',
    ],
    ['subscription { recordChanged(types: [VENDOR]) { id } }', 'VENDOR'],
    ['{ healthEvents { nodes { title } } }', 'healthEvents'],
  ] as const)('that name what is hidden are refused: %s', async ([query, word], { layer }) => {
    const { errors } = await layer.query(query);

    expect(errors?.[0]?.message).toContain(word);
  });

  test('that name nothing of it work as before, relations of a hidden column included', async ({ layer }) => {
    const { data, errors } = await layer.query(
      '{ company { customers(first: 20) { nodes { paymentTerm { code } } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.company.customers.nodes).toContainEqual({ paymentTerm: { code: expect.any(String) } });
  });
});
