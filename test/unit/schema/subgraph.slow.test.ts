import { readFileSync } from 'node:fs';
import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { buildASTSchema, type GraphQLScalarType, type GraphQLSchema, isObjectType, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { scalars } from '../../../src/graph/scalars.ts';

const sdl = subgraphSdl();
const document = parse(sdl);

interface Subgraph {
  readonly name: string;
  readonly url: string;
  readonly typeDefs: typeof document;
}

/** What makes a supergraph of subgraphs, by the package it comes from. */
const compositions = {
  '@theguild/federation-composition': (subgraphs: Subgraph[]) => composeServices(subgraphs),
  '@apollo/composition': (subgraphs: Subgraph[]) => composeByApollo(subgraphs),
};
type Composition = (typeof compositions)[keyof typeof compositions];

const withNeighbour = (compose: Composition, neighbour: string) =>
  compose([
    { name: 'tributary', typeDefs: document, url: 'http://tributary.test/graphql' },
    { name: 'neighbour', typeDefs: parse(neighbour), url: 'http://neighbour.test/graphql' },
  ]);

/** What a router makes of the subgraph and another; throws what does not compose. */
function composed(compose: Composition, neighbour: string) {
  const { errors, supergraphSdl: supergraph = '' } = withNeighbour(compose, neighbour);
  expect(errors ?? []).toEqual([]);
  return { supergraph, api: buildASTSchema(transformSupergraphToPublicSchema(parse(supergraph))) };
}

const fieldsOf = (api: GraphQLSchema, name: string) => {
  const type = api.getType(name);
  return isObjectType(type) ? Object.keys(type.getFields()) : [];
};

/** Where the scalars of our own are specified. */
const specifications = Object.fromEntries(
  Object.keys(scalars).map((name) => {
    const { specifiedByURL } = createSchema().getType(name) as GraphQLScalarType;
    return [name, specifiedByURL];
  }),
);

test('every type that has a key is an entity', () => {
  const names = /^union _Entity = (.+)$/m.exec(sdl)?.[1]?.split(' | ') ?? [];

  expect(names.sort()).toEqual([...sdl.matchAll(/^type (\w+).*\n? +@key/gm)].map(([, name]) => name).sort());
  expect(names.length).toBeGreaterThanOrEqual(15);
});

const link = (...names: string[]) =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${names
    .map((name) => `"@${name}"`)
    .join(', ')}])\nscalar UUID\n`;

describe.for(Object.entries(compositions))('another subgraph composes by %s', ([, compose]) => {
  test('that is the one of the example, with connections and user errors of its own', () => {
    const notes = readFileSync(
      new URL('../../../examples/supergraph/notes.graphql', import.meta.url),
      'utf8',
    );

    const { api } = composed(compose, notes);

    expect(fieldsOf(api, 'Customer')).toEqual(expect.arrayContaining(['displayName', 'notes', 'salutation']));
    expect(fieldsOf(api, 'Query')).toEqual(expect.arrayContaining(['companies', 'healthEvents', 'notes']));
    expect(fieldsOf(api, 'Mutation')).toEqual(expect.arrayContaining(['updateCustomer', 'addNote']));
    expect(fieldsOf(api, 'Subscription')).toContain('operationProgress');
    expect(api.getType('_Entity')).toBeUndefined();
    for (const [name, url] of Object.entries(specifications))
      expect(api.getType(name), name).toMatchObject({ specifiedByURL: url });
  });

  test('that adds fields to our types, each by its key', () => {
    const keys = {
      'companyId: UUID! id: UUID!': ['Customer', 'SalesOrder', 'Item', 'PaymentTerm'],
      'id: UUID!': ['Company'],
      'id: ID!': ['InstanceOperation'],
      'scope: String! trackingId: String!': ['HealthEvent'],
    };
    const added = Object.entries(keys).flatMap(([fields, names]) => {
      const key = fields.replace(/: \w+!/g, '');
      return names.map((name) => `type ${name} @key(fields: "${key}") { ${fields} rating: Int }`);
    });

    const { api } = composed(compose, link('key') + added.join('\n'));

    for (const name of Object.values(keys).flat()) expect(fieldsOf(api, name), name).toContain('rating');
  });
});
