import { buildASTSchema, concatAST, parse, printSchema, specifiedDirectives, visit } from 'graphql';
import { printSubgraph, subgraphOf } from './graph/subgraph.ts';
import { readTypeDefs } from './schema.ts';

const roots = parse('type Query type Mutation type Subscription');
const ofGraphql = new Set(specifiedDirectives.map(({ name }) => name));

/** The schema as clients see it: plain SDL, without what is for routers alone. */
export function clientSdl(): string {
  const plain = readTypeDefs().map((document) =>
    visit(document, {
      SchemaExtension: () => null,
      Directive: ({ name }) => (ofGraphql.has(name.value) ? undefined : null),
    }),
  );
  return printSchema(buildASTSchema(concatAST([roots, ...plain])));
}

/** The schema as routers compose it: what `_service { sdl }` answers. */
export const subgraphSdl = (): string => printSubgraph(subgraphOf(readTypeDefs()));
