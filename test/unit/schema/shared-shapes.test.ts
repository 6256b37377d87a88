import { type GraphQLField, type GraphQLInterfaceType, isTypeSubTypeOf } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';

const schema = createSchema();
const fieldsOf = (name: string): Readonly<Record<string, GraphQLField<unknown, unknown>>> => {
  const type = schema.getType(name);
  return type && 'getFields' in type ? (type as GraphQLInterfaceType).getFields() : {};
};
const signatureOf = ({ name, type, args }: GraphQLField<unknown, unknown>) =>
  `${name}(${args.map((arg) => `${arg.name}: ${arg.type} = ${arg.defaultValue}`)}): ${type}`;

describe.each([
  ['SalesDocument', ['SalesInvoice', 'SalesOrder', 'SalesQuote']],
  ['SalesDocumentLine', ['SalesCreditMemoLine', 'SalesInvoiceLine', 'SalesOrderLine', 'SalesQuoteLine']],
])('the interface %s', (name, types) => {
  const [first = '', ...others] = types;

  test('is of these types', () => {
    const { objects } = schema.getImplementations(schema.getType(name) as GraphQLInterfaceType);

    expect(objects.map((type) => type.name).sort()).toEqual(types);
  });

  test('has every field that all of them have with one type', () => {
    const shared = Object.values(fieldsOf(first))
      .map(signatureOf)
      .filter((signature) =>
        others.every((other) => Object.values(fieldsOf(other)).map(signatureOf).includes(signature)),
      );

    expect(shared.length).toBeGreaterThan(20);
    expect(Object.values(fieldsOf(name)).map(signatureOf)).toEqual(shared);
  });
});

test('a sales document is a node', () => {
  const [node, document] = ['Node', 'SalesDocument'].map((name) => schema.getType(name));

  expect(isTypeSubTypeOf(schema, document as GraphQLInterfaceType, node as GraphQLInterfaceType)).toBe(true);
});
