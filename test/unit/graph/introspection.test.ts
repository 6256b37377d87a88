import { buildSchema, executeSync, parse } from 'graphql';
import { expect, test } from 'vitest';
import { introspectAs } from '../../../src/graph/introspection.ts';

const schemaWith = (hidden: string) =>
  buildSchema(`
    type Query { thing: Named ${hidden} }
    interface Named { name: String }
    type Thing implements Named { name: String query: Query }
  `);
const [full, described, other] = [schemaWith('hidden: Int'), schemaWith(''), schemaWith('other: Int')];
introspectAs(full, () => described);

const queryFields = 'fields { name }';

test.for([
  ['__schema', `{ __schema { queryType { ${queryFields} } } }`],
  ['__type', `{ __type(name: "Query") { ${queryFields} } }`],
  [
    'the types of an interface',
    `{ __type(name: "Named") { possibleTypes { fields { type { ${queryFields} } } } } }`,
  ],
] as const)('introspection by %s describes another schema, for the one that names it only', ([, query]) => {
  const introspect = (schema: typeof full) => JSON.stringify(executeSync({ schema, document: parse(query) }));

  expect(introspect(full)).toBe(introspect(described));
  expect(introspect(full)).toContain('{"name":"thing"}');
  expect(introspect(other)).toContain('{"name":"other"}');
});

test('fields that introspection does not describe are executed', () => {
  const { data } = executeSync({
    schema: full,
    document: parse('{ hidden __schema { queryType { name } } }'),
    rootValue: { hidden: 3 },
  });

  expect(data).toEqual({ hidden: 3, __schema: { queryType: { name: 'Query' } } });
});
