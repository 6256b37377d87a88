import { buildASTSchema, concatAST, type GraphQLSchema, graphql, parse } from 'graphql';
import { expect, test } from 'vitest';
import { type ReferenceResolver, resolveEntities } from '../../../src/graph/entities.ts';
import { buildSubgraph } from '../../../src/graph/subgraph.ts';

const base = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  extend type Query { thing: Thing }
  extend type Mutation { change: Thing }
  extend type Subscription { changed: Thing }`;
const typeDefs = parse(`${base}
  type Thing @key(fields: "area id") { area: Area id: ID! name: String }
  type Other @key(fields: "id") { id: ID! }
  enum Area { NORTH SOUTH }`);
const roots = parse('type Mutation type Subscription');

function schemaWith(references: Readonly<Record<string, ReferenceResolver>>, of = typeDefs): GraphQLSchema {
  const schema = buildASTSchema(concatAST([buildSubgraph([of]), roots]));
  resolveEntities(schema, references);
  return schema;
}

const ask = async (schema: GraphQLSchema, representations: readonly unknown[]) => {
  const source = `query ($all: [_Any!]!) {
    _entities(representations: $all) { __typename ... on Thing { id name } ... on Other { id } }
  }`;
  return JSON.parse(
    JSON.stringify(await graphql({ schema, source, variableValues: { all: representations } })),
  );
};

const thing = (id: string) => ({ __typename: 'Thing', area: 'NORTH', id });
const other = ({ id }: Readonly<Record<string, unknown>>) => ({ id });

test('a resolver that fails leaves the other entities, and errors say at which place it failed', async () => {
  const schema = schemaWith({
    Other: other,
    Thing: ({ id }) => {
      if (id === 'bad') throw new Error('The resolver failed.');
      return { id };
    },
  });

  const { data, errors } = await ask(schema, [thing('a'), thing('bad'), { __typename: 'Other', id: 1 }]);

  expect(data._entities).toEqual([
    { __typename: 'Thing', id: 'a', name: null },
    null,
    { __typename: 'Other', id: '1' },
  ]);
  expect(errors).toMatchObject([{ message: 'The resolver failed.', path: ['_entities', 1] }]);
});

test('keys reach a resolver as the types of their fields read them, and other fields as they were sent', async () => {
  const seen: unknown[] = [];
  const schema = schemaWith({
    Thing: () => null,
    Other: (reference) => {
      seen.push(reference);
      return null;
    },
  });

  const { errors } = await ask(schema, [
    { __typename: 'Other', id: 7, size: 7 },
    { __typename: 'Thing', area: 'WEST', id: '1' },
  ]);

  expect(seen).toEqual([{ __typename: 'Other', id: '7', size: 7 }]);
  expect(errors).toMatchObject([
    { message: expect.stringMatching(/representation of Thing has a bad `area`.*"WEST"/) },
  ]);
});

test('a key that nobody resolves, or that names no scalar, fails the start', () => {
  expect(() => schemaWith({ Thing: () => null })).toThrow('Other has a key');
  const unknown = parse(`${base} type Thing @key(fields: "code") { id: ID! }`);
  expect(() => schemaWith({ Thing: () => null }, unknown)).toThrow('names no scalar: code');
});
