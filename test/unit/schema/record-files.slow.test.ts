import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import {
  buildASTSchema,
  buildSchema,
  concatAST,
  type DefinitionNode,
  isObjectType,
  parse,
  print,
  validateSchema,
  visit,
} from 'graphql';
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

/** The definitions whose names begin with that of a type or of its mutations, as if it were called `Record`. */
function shapeOf(type: string): readonly string[] {
  const withoutTexts = visit(document, {
    StringValue: (_node, key) => (key === 'description' ? null : undefined),
  });
  const isOwn = (node: DefinitionNode) =>
    'name' in node &&
    !/Extension$/.test(node.kind) &&
    new RegExp(`^(Create|Update|Delete)?${type}(?!Status)`).test(node.name?.value ?? '');
  return withoutTexts.definitions.filter(isOwn).map((node) =>
    print(node)
      .replaceAll(type, 'Record')
      .replaceAll(type[0]?.toLowerCase() + type.slice(1), 'record'),
  );
}

test('what derives from a type from a file is what derives from a type in code: names, keys, costs and nullability', () => {
  const renamed = (text: string) =>
    text
      .replaceAll('StaffPosition', 'RecordStatus')
      .replace(/\bposition\b/g, 'status')
      .replace(/\bfirstName\b/g, 'givenName')
      .replace(/\blastName\b/g, 'surname')
      .replace(/\btown\b/g, 'city')
      .replaceAll('POSITION', 'STATUS')
      .replaceAll('FIRST_NAME', 'GIVEN_NAME')
      .replaceAll('LAST_NAME', 'SURNAME')
      .replaceAll('TOWN', 'CITY');
  // The file says that these cannot be filtered, or not sorted.
  const without = (text: string) => text.replace(/^ {2}(iban: StringFilter|JOB_TITLE_(ASC|DESC))\n/gm, '');

  // A picture is defined beside a type in code, and in one from a file.
  const [builtIn, fromFile] = [shapeOf('Employee'), shapeOf('StaffMember').map(renamed)];
  const inPlace = fromFile.map((text) => text.replace('  picture: File\n', ''));

  expect(builtIn.length).toBeGreaterThan(10);
  expect(inPlace.sort()).toEqual(builtIn.map(without).sort());
});
