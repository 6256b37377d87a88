import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { buildASTSchema, buildSchema, concatAST, isObjectType, parse, validateSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { loadRecordTypes } from '../../../src/app/schema/record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { clientSdl, subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { findUndescribed } from '../../support/cases/graph-rules.ts';
import { recordFiles } from '../../support/cases/record-kinds.ts';

const list = loadRecordTypes({ RECORD_TYPES: [recordFiles] });
const sdl = subgraphSdl(list);
const document = parse(sdl);

const compositions = {
  '@theguild/federation-composition': composeServices,
  '@apollo/composition': composeByApollo,
};

const neighbour = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  scalar UUID
  type Query { badges: [Badge!] }
  type Badge { holder: StaffMember }
  type StaffMember @key(fields: "companyId number") { companyId: UUID! number: String badge: String }
`);

describe.for(Object.entries(compositions))(
  'a subgraph with types from files composes by %s',
  ([, compose]) => {
    test('with another one that refers to them by a key', () => {
      const { errors, supergraphSdl = '' } = compose([
        { name: 'tributary', typeDefs: document, url: 'http://tributary.test/graphql' },
        { name: 'neighbour', typeDefs: neighbour, url: 'http://neighbour.test/graphql' },
      ]);

      expect(errors ?? []).toEqual([]);
      const api = buildASTSchema(transformSupergraphToPublicSchema(parse(supergraphSdl)));
      const staff = api.getType('StaffMember');
      expect(isObjectType(staff) ? Object.keys(staff.getFields()) : []).toEqual(
        expect.arrayContaining(['nodeId', 'lastName', 'position', 'badge']),
      );
      expect(api.getType('CreateOfferInput')).toBeDefined();
    });
  },
);

test('the schema with types from files is valid, and every definition in it has a description', () => {
  // Rules of the language, which the start does not check.
  expect(() => buildASTSchema(concatAST([document, parse('type Mutation type Subscription')]))).not.toThrow();
  expect(() => buildASTSchema(parse(clientSdl(list)))).not.toThrow();
  expect(validateSchema(createSchema(list))).toEqual([]);

  expect(findUndescribed(buildSchema(clientSdl(list)))).toEqual([]);
});
