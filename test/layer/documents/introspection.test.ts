import {
  buildClientSchema,
  buildSchema,
  getIntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { clientSdl, subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { test } from '../../support/layer.ts';

/** Fields and types that federation adds for gateways, and nothing that clients are told of. */
const ofFederation = /"(_Any|_Entity|_Service|_entities|_service|shareable|link|(federation|link)__\w+)"/;

test('introspection describes the schema that `schema` prints', async ({ layer }) => {
  const options = {
    specifiedByUrl: true,
    inputValueDeprecation: true,
    directiveIsRepeatable: true,
    oneOf: true,
  };
  const data = await layer.read(getIntrospectionQuery(options));

  expect(JSON.stringify(data)).not.toMatch(ofFederation);
  // A field has the name of this directive.
  expect(data.__schema.directives.map(({ name }: { name: string }) => name)).not.toContain('key');
  const sorted = (schema: Parameters<typeof printSchema>[0]) => printSchema(lexicographicSortSchema(schema));
  expect(sorted(buildClientSchema(data as never))).toBe(sorted(buildSchema(clientSdl())));
});

describe('what federation adds is not described', () => {
  const of = 'name fields { name type { name ofType { name } } } possibleTypes { name fields { name } }';

  test.for([
    ['by the types', `{ __schema { types { ${of} } directives { name args { type { name } } } } }`],
    ['by a type that is named', `{ __type(name: "Query") { ${of} } }`],
    [
      'in fragments',
      `{ ...F } fragment F on Query { __schema { types { ...T } } } fragment T on __Type { ${of} }`,
    ],
  ] as const)('%s', async ([, query], { layer }) => {
    // The response to a document that repeats is kept.
    for (let time = 0; time < 2; time++) {
      const data = await layer.read(query);

      expect(JSON.stringify(data)).toContain('"companies"');
      expect(JSON.stringify(data)).not.toMatch(ofFederation);
    }
  });

  test.for(['_Any', '_Entity', '_Service', 'federation__FieldSet', 'link__Purpose'])(
    'by its name: %s',
    async (name, { layer }) => {
      const query = 'query ($name: String!) { __type(name: $name) { kind } __typename }';

      for (let time = 0; time < 4; time++)
        expect(await layer.query(query, { name })).toMatchObject({
          data: { __type: null, __typename: 'Query' },
        });
    },
  );
});

test('gateways query `_service` and `_entities`, beside introspection too', async ({ layer }) => {
  const query = `query ($representations: [_Any!]!) {
    _service { sdl }
    _entities(representations: $representations) { __typename ... on Company { id } }
    __schema { queryType { name } }
  }`;
  const representations = [{ __typename: 'Company', id: sandboxCompanyId }];

  expect((await layer.query(query, { representations })).data).toEqual({
    _service: { sdl: subgraphSdl() },
    _entities: [representations[0]],
    __schema: { queryType: { name: 'Query' } },
  });
});
