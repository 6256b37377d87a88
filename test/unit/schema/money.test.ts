import {
  type GraphQLNamedType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/app/schema.ts';

const types = Object.values(createSchema().getTypeMap());

/** What a decimal can be; each says so in its description. */
const kinds = {
  money: /\bcurrency\b/,
  share: /per cent\b/,
  count: /\bunits?\b/,
  rate: /\brate\b/,
};

const fieldsOf = (type: GraphQLNamedType) =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};

const decimals = types
  .filter(({ name }) => name !== 'DecimalFilter')
  .flatMap((type) =>
    Object.values(fieldsOf(type))
      .filter((field) => /^Decimal(Filter)?$/.test(String(getNamedType(field.type))))
      .map(({ name, description }) => ({ type, name, description: description ?? '' })),
  );
const placeOf = ({ type, name }: (typeof decimals)[number]) => `${type.name}.${name}`;
const kindsOf = (description: string) =>
  Object.entries(kinds).flatMap(([kind, pattern]) => (pattern.test(description) ? [kind] : []));

// Money may be of one unit, or after a discount in per cent: those words do not say that it is none.
const isMoney = ({ description }: (typeof decimals)[number]) => kinds.money.test(description);

describe('a decimal', () => {
  test('is money, and its description names the currency, or it is something else, and its description says what', () => {
    expect(decimals.length).toBeGreaterThan(80);
    expect(decimals.filter(({ description }) => kindsOf(description).length === 0).map(placeOf)).toEqual([]);
  });

  test('named like money names a currency', () => {
    const named = decimals.filter(
      ({ name }) =>
        /amount|price|cost|balance|limit|discount|tax|netChange/i.test(name) && !/Percent$/.test(name),
    );

    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((field) => !isMoney(field)).map(placeOf)).toEqual([]);
  });
});

test('the currency that a description names is a field beside it, or one of the company beside it', () => {
  const has = (type: GraphQLNamedType, field: string) => field in fieldsOf(type);
  const lacks = decimals
    .filter((field) => isMoney(field) && !isInputObjectType(field.type))
    .filter(({ type, description }) => {
      if (/home currency/.test(description)) return !has(type, 'company');
      return type.name === 'Currency' ? !has(type, 'code') : !has(type, 'currencyCode');
    });

  expect(lacks.map(placeOf)).toEqual([]);
  const company = types.find(({ name }) => name === 'Company');
  expect(company && has(company, 'homeCurrencyCode')).toBe(true);
});
