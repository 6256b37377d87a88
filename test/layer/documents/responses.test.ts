import { expect } from 'vitest';
import { test } from '../../support/layer.ts';

test('an error has the location in its own document', async ({ layer }) => {
  const documents = [
    '{ company { customers(first: 2, after: "not a cursor") { nodes { number } } } }',
    '\n\n  { company {\n customers(\n first: 3,\n after: "neither") { nodes { number } } } }',
  ];

  const locations = [];
  for (const query of documents) locations.push((await layer.query(query)).errors?.[0]?.locations);

  expect(locations).toEqual([[{ line: 1, column: 13 }], [{ line: 4, column: 2 }]]);
});

test('a condition that is null is BAD_USER_INPUT', async ({ layer }) => {
  const query = 'query ($yes: Boolean = true) { company { id @include(if: $yes) } }';

  const { status, errors } = await layer.query(query, { yes: null });

  expect(status).toBe(400);
  expect(errors).toMatchObject([
    { message: expect.stringContaining('`$yes`'), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

test.for([
  '{ company { items(first: 3) { a: nodes { x: number } b: nodes { x: displayName } } } }',
  '{ company { salesOrders(first: 3) { nodes { a: documentLines { x: item { displayName } } b: documentLines { x: unitOfMeasure { code } } } } } }',
])('one response key stands for different fields below two aliases: %s', async (query, { layer }) => {
  const plain = query.replaceAll(/\bx: (\w+)/g, (_all, name) => `x_${name}: ${name}`);
  const withoutNames = (data: unknown) =>
    JSON.stringify(data, (_key, value) =>
      value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.values(value) : value,
    );

  const data = await layer.read(query);

  expect(withoutNames(data)).toBe(withoutNames((await layer.query(plain)).data));
  expect(withoutNames(data)).toMatch(/[A-Za-z]{3}/);
});

test('names of JavaScript are names like others', async ({ layer }) => {
  const ask = (variable: string) =>
    layer.query(
      `query ($${variable}: ItemVersion) { company { __proto__: id constructor: name toJSON: id itemByNumber(number: "1416", version: $${variable}) { displayName } } }`,
    );

  const { data } = await ask('__proto__');

  expect(Object.keys(data.company)).toEqual(['__proto__', 'constructor', 'toJSON', 'itemByNumber']);
  expect(data.company.itemByNumber.displayName).toMatch(/\w/);
  expect(Object.keys(Object.prototype)).toEqual([]);
});
