import {
  buildASTSchema,
  concatAST,
  type DocumentNode,
  type GraphQLSchema,
  printSchema,
  specifiedDirectives,
  visit,
} from 'graphql';
import type { DeclarationFile } from '../../business/declarations/declarations.ts';
import { deriveUnitedTypes, withoutDeclared } from '../../business/declarations/derived-types.ts';
import type { RecordModel } from '../../business/declarations/record-types.ts';
import { parseDefinitions } from '../../graph/definition-keys.ts';
import type { ExtensionResolver } from '../../graph/extension.ts';
import { addNodeDefs } from '../../graph/nodes.ts';
import { addSemanticNullability } from '../../graph/semantic-nullability.ts';
import { buildSubgraph, printDefinitions } from '../../graph/subgraph.ts';
import { instanceHealthDefs } from '../../health/instance-health-defs.ts';
import { instanceActionDefs } from '../../instances/actions/action-type-defs.ts';
import { type Hidden, removeHidden } from './hidden.ts';
import { productRecordTypes, readSchemaFiles } from './product-record-types.ts';

/** The records of a graph, with the operator's extensions and hidden parts. */
export interface GraphModel extends RecordModel {
  readonly extension?: {
    readonly files: readonly DeclarationFile[];
    readonly typeDefs: DocumentNode;
    readonly resolvers: Readonly<Record<string, Readonly<Record<string, ExtensionResolver>>>>;
  };
  readonly hidden?: Hidden;
}

/** The record types that clients see. */
export const visibleRecordTypes = ({ recordTypes, hidden }: GraphModel): GraphModel['recordTypes'] =>
  hidden ? recordTypes.filter(({ type }) => !hidden.has(type)) : recordTypes;

/** The definitions of the graph: those of `schema/`, and those that derive from declarations, kinds of instances and keys. */
export function readTypeDefs(model: GraphModel = productRecordTypes()): DocumentNode[] {
  const { extension, hidden = new Set() } = model;
  const typeDefs = addNodeDefs([
    ...withoutDeclared(readSchemaFiles()),
    instanceActionDefs(),
    instanceHealthDefs(),
    ...model.typeDefs,
    deriveUnitedTypes(visibleRecordTypes(model)),
    ...(extension ? [extension.typeDefs] : []),
  ]);
  return (hidden.size === 0 ? typeDefs : removeHidden(typeDefs, hidden)).map(addSemanticNullability);
}

const clientRootTypes = parseDefinitions(`
  "Reads. Fields are resolved in parallel; those that fail are null, and the others are returned."
  type Query
  "Changes. The fields of an operation are resolved one after another; \`userErrors\` says what was refused."
  type Mutation
  "Values over time, as server-sent events or over WebSocket. An operation subscribes to one field."
  type Subscription
`);
const graphqlDirectives = new Set(specifiedDirectives.map(({ name }) => name));

/** The schema for clients: without federation and without resolvers. */
export function buildClientSchema(typeDefs: readonly DocumentNode[]): GraphQLSchema {
  const plain = typeDefs.map((document) =>
    visit(document, {
      SchemaExtension: () => null,
      DirectiveDefinition: ({ name }) => (name.value === 'semanticNonNull' ? undefined : null),
      Directive: ({ name }) => (graphqlDirectives.has(name.value) ? undefined : null),
    }),
  );
  // Valid, because it only has definitions of the subgraph.
  return buildASTSchema(concatAST([clientRootTypes, ...plain]), { assumeValidSDL: true });
}

/** The schema for clients as SDL, with `@semanticNonNull`. */
export const clientSdl = (model?: GraphModel): string =>
  printDefinitions(
    addSemanticNullability(parseDefinitions(printSchema(buildClientSchema(readTypeDefs(model))))),
  );

/** The subgraph schema as SDL: the result of `_service { sdl }`. */
export const subgraphSdl = (model?: GraphModel): string =>
  printDefinitions(buildSubgraph(readTypeDefs(model)));
