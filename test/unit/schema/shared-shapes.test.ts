import type { GraphQLField, GraphQLInterfaceType } from 'graphql';
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
