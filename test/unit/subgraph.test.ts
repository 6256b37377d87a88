import { readFileSync } from 'node:fs';
import { composeServices } from '@theguild/federation-composition';
import { buildSchema, graphqlSync, isObjectType, type ObjectTypeDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../src/schema.ts';
import { subgraphSdl } from '../../src/sdl.ts';

const sdl = subgraphSdl();
const document = parse(sdl);

/** What a router makes of the subgraph and another; throws what does not compose. */
function composed(neighbour: string) {
  const { errors, supergraphSdl, publicSdl } = composeServices([
    { name: 'tributary', typeDefs: document, url: 'http://tributary.test/graphql' },
    { name: 'neighbour', typeDefs: parse(neighbour), url: 'http://neighbour.test/graphql' },
  ]);
  expect(errors ?? []).toEqual([]);
  return { supergraph: supergraphSdl ?? '', api: buildSchema(publicSdl ?? '') };
}

const fieldsOf = (api: ReturnType<typeof buildSchema>, name: string) => {
  const type = api.getType(name);
  return isObjectType(type) ? Object.keys(type.getFields()) : [];
};

describe('the subgraph is one of federation 2', () => {
  const directivesOf = (name: string) =>
    document.definitions
      .filter((node): node is ObjectTypeDefinitionNode => 'name' in node && node.name?.value === name)
      .flatMap(({ directives }) => directives ?? []);
  const keyOf = (name: string) =>
    directivesOf(name).flatMap(({ arguments: given }) =>
      given?.map(({ value }) => (value.kind === 'StringValue' ? value.value : '')),
    );

  test('@link: it says which version it speaks, and what it takes of it', () => {
    expect(sdl).toMatch(
      /@link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2\.9", import: \["@key", "@shareable"\]\)/,
    );
  });

  test.each([
    ['Customer', 'companyId id'],
    ['SalesOrder', 'companyId id'],
    ['Account', 'companyId id'],
    ['Company', 'id'],
    ['InstanceOperation', 'id'],
    ['HealthEvent', 'scope trackingId'],
  ])('@key: %s is known by its %s', (name, key) => {
    expect(keyOf(name)).toEqual([key]);
  });

  test.each(['PageInfo', 'UserError', 'ErrorDetail', 'ErrorAdditionalInfo'])(
    '@shareable: others may have %s, too',
    (name) => {
      expect(directivesOf(name).map((directive) => directive.name.value)).toEqual(['shareable']);
    },
  );

  test('_service and _entities are there, with every type that has a key', () => {
    const { data } = graphqlSync({
      schema: createSchema(),
      source: `{ _service { sdl } __type(name: "_Entity") { kind possibleTypes { name } } }`,
    });

    const { _service, __type } = JSON.parse(JSON.stringify(data));
    expect(_service.sdl).toBe(sdl);
    expect(__type.kind).toBe('UNION');
    const names = __type.possibleTypes.map(({ name }: { name: string }) => name);
    expect(names.sort()).toEqual([...sdl.matchAll(/^type (\w+)\n? +@key/gm)].map(([, name]) => name).sort());
    expect(names.length).toBeGreaterThanOrEqual(15);
  });
});

describe('another subgraph composes', () => {
  const link = (...names: string[]) =>
    `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${names
      .map((name) => `"@${name}"`)
      .join(', ')}])\nscalar UUID\n`;

  test('that is the one of the example, with connections and user errors of its own', () => {
    const notes = readFileSync(new URL('../../examples/supergraph/notes.graphql', import.meta.url), 'utf8');

    const { api } = composed(notes);

    expect(fieldsOf(api, 'Customer')).toEqual(expect.arrayContaining(['displayName', 'notes', 'salutation']));
    expect(fieldsOf(api, 'Query')).toEqual(expect.arrayContaining(['companies', 'healthEvents', 'notes']));
    expect(fieldsOf(api, 'Mutation')).toEqual(expect.arrayContaining(['updateCustomer', 'addNote']));
    expect(fieldsOf(api, 'Subscription')).toContain('operationProgress');
    expect(api.getType('_Entity')).toBeUndefined();
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

    const { api } = composed(link('key') + added.join('\n'));

    for (const name of Object.values(keys).flat()) expect(fieldsOf(api, name), name).toContain('rating');
  });

  test('that only refers to our records, which it does not resolve (@key, resolvable: false)', () => {
    const { api } = composed(`${link('key')}
      type Query { parcels: [Parcel!] }
      type Parcel @key(fields: "id") { id: ID! order: SalesOrder }
      type SalesOrder @key(fields: "companyId id", resolvable: false) { companyId: UUID! id: UUID! }`);

    expect(fieldsOf(api, 'Parcel')).toEqual(['id', 'order']);
    expect(fieldsOf(api, 'SalesOrder')).toContain('totalAmountIncludingTax');
  });

  test('that computes from our fields (@requires), knows some of them (@provides) or takes one over (@override)', () => {
    const { api, supergraph } = composed(`${link('key', 'external', 'requires', 'provides', 'override')}
      type Query { best: Customer @provides(fields: "displayName") }
      type Customer @key(fields: "companyId id") {
        companyId: UUID! id: UUID!
        displayName: String @external
        country: String @external
        greeting: String @requires(fields: "displayName country")
        city: String @override(from: "tributary")
      }`);

    expect(fieldsOf(api, 'Customer')).toContain('greeting');
    expect(supergraph).toMatch(
      /greeting: String @join__field\(graph: NEIGHBOUR, requires: "displayName country"\)/,
    );
    expect(supergraph).toMatch(/best: Customer @join__field\(graph: NEIGHBOUR, provides: "displayName"\)/);
    expect(supergraph).toMatch(/city: String @join__field\(graph: NEIGHBOUR, override: "tributary"/);
  });

  test('that hides what both have, or marks it (@inaccessible, @tag)', () => {
    const { api, supergraph } = composed(`${link('shareable', 'inaccessible', 'tag')}
      type Query { pages: PageInfo }
      type PageInfo @shareable @tag(name: "paging") {
        hasNextPage: Boolean! hasPreviousPage: Boolean! @inaccessible startCursor: String endCursor: String
      }`);

    expect(fieldsOf(api, 'PageInfo')).toEqual(['hasNextPage', 'startCursor', 'endCursor']);
    expect(supergraph).toContain('@tag(name: "paging")');
  });

  test('but not one that has a field of ours without sharing it', () => {
    const { errors } = composeServices([
      { name: 'tributary', typeDefs: document },
      {
        name: 'neighbour',
        typeDefs: parse(`${link('key')} type Customer @key(fields: "companyId id") {
          companyId: UUID! id: UUID! displayName: String }`),
      },
    ]);

    expect(errors?.map(({ message }) => message).join()).toContain('Customer.displayName');
  });
});
