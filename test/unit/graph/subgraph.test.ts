import { buildSubgraphSchema } from '@apollo/subgraph';
import { buildASTSchema, concatAST, graphqlSync, lexicographicSortSchema, parse, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import { readTypeDefs } from '../../../src/app/schema/sdl.ts';
import { buildSubgraph, printDefinitions } from '../../../src/graph/subgraph.ts';

const link = (...names: string[]) =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ${JSON.stringify(names)})`;
const roots = `
  extend type Query { thing: Thing }
  extend type Mutation { change: Thing }
  extend type Subscription { changed: Thing }`;

const forms = {
  'every definition of this schema': readTypeDefs(),
  'descriptions of one line, of many, with quotes, and none': `${link('@key')} ${roots}
    "It is described."
    type Thing @key(fields: "id") {
      "Its id."
      id: ID!
      plain: Int
      """
      More than one line,

      and a "quoted" \\""" one.
      """
      many("described" one: Int = 3, two: [Int!] = [1, 2], "too" three: Kind = FIRST): Int
      "A description of a single line, which is longer than the seventy characters that stand beside its quotes."
      long: Int
    }
    enum Kind { "the first" FIRST SECOND }`,
  'interfaces, unions, and extensions before and after what they extend': `${link('@key')} ${roots}
    extend type Thing { kind: Kind any: Any }
    interface Named { "its name" name: String }
    type Thing implements Named @key(fields: "id") { id: ID! name: String }
    extend type Thing { more(given: Given): Int }
    enum Kind { FIRST }
    extend enum Kind { SECOND }
    input Given { one: Int }
    extend input Given { two: Int }
    type Other { id: ID! }
    union Any = Thing
    extend union Any = Other`,
  'directives that are not imported': `${link('@key')} ${roots}
    type Thing @key(fields: "id") @federation__tag(name: "a") { id: ID! @federation__shareable }`,
};

test.for(Object.entries(forms))("Apollo's own library prints the same definitions: %s", ([, given]) => {
  const typeDefs = typeof given === 'string' ? [parse(given)] : given;
  const theirs = buildSubgraphSchema({ typeDefs: concatAST(typeDefs) });
  const { data } = graphqlSync({ schema: theirs, source: '{ _service { sdl } }' });

  const ours = buildSubgraph(typeDefs);

  const { sdl } = (data as { readonly _service: { readonly sdl: string } })._service;
  expect(printDefinitions(ours)).toBe(printDefinitions(parse(sdl)));
  const schema = buildASTSchema(concatAST([ours, parse('type Mutation type Subscription')]));
  const printed = (of: typeof schema) => printSchema(lexicographicSortSchema(of));
  expect(printed(schema)).toBe(printed(theirs));
});
