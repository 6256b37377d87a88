import {
  type GraphQLNamedType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { findDecimalFaults } from '../../support/cases/graph-rules.ts';

const schema = createSchema();
const fieldsOf = (type: GraphQLNamedType | undefined) =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};

const decimals = Object.values(schema.getTypeMap())
  .filter(({ name }) => name !== 'DecimalFilter')
  .flatMap((type) =>
    Object.values(fieldsOf(type))
      .filter((field) => String(getNamedType(field.type)) === 'Decimal')
      .map(({ name, description }) => ({ type, name, description: description ?? '' })),
  );

describe('a decimal', () => {
  test('is money, and its description names a currency that is beside it, or something else, and that says what', () => {
    expect(decimals.length).toBeGreaterThan(80);
    expect(findDecimalFaults(schema)).toEqual([]);
    expect(fieldsOf(schema.getType('Company'))).toHaveProperty('homeCurrencyCode');
  });

  test('named like money names a currency', () => {
    const named = decimals.filter(
      ({ name }) =>
        /amount|price|cost|balance|limit|discount|tax|netChange/i.test(name) && !/Percent$/.test(name),
    );

    expect(named.length).toBeGreaterThan(50);
    // Money may be of one unit, or after a discount in per cent: those words do not say that it is none.
    expect(
      named
        .filter(({ description }) => !/\bcurrency\b/.test(description))
        .map(({ type, name }) => `${type.name}.${name}`),
    ).toEqual([]);
  });
});
