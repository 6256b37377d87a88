import { buildASTSchema, concatAST, parse, printSchema, specifiedDirectives, visit } from 'graphql';
import { buildSubgraph, printSubgraph } from '../graph/subgraph.ts';
import { readTypeDefs } from './type-defs.ts';

const clientRootTypes = parse('type Query type Mutation type Subscription');
const graphqlDirectives = new Set(specifiedDirectives.map(({ name }) => name));

/** The client schema as SDL, without federation directives. */
export function clientSdl(): string {
  const plain = readTypeDefs().map((document) =>
    visit(document, {
      SchemaExtension: () => null,
      Directive: ({ name }) => (graphqlDirectives.has(name.value) ? undefined : null),
    }),
  );
  return printSchema(buildASTSchema(concatAST([clientRootTypes, ...plain])));
}

/** The subgraph schema as SDL: the result of `_service { sdl }`. */
export const subgraphSdl = (): string => printSubgraph(buildSubgraph(readTypeDefs()));
