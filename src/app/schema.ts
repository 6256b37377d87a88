import { addResolversToSchema } from '@graphql-tools/schema';
import { buildASTSchema, concatAST, type GraphQLSchema, parse } from 'graphql';
import { batchResolvers, resolversOf } from '../business/record-resolvers.ts';
import { recordTypes } from '../business/records/index.ts';
import { recordChangeResolvers } from '../changes/record-changes.ts';
import type { Resolvers } from '../generated/graphql.ts';
import { type ReferenceResolver, resolveEntities } from '../graph/entities.ts';
import { introspectAs } from '../graph/introspection.ts';
import { meterResolvers } from '../graph/meter-resolvers.ts';
import { resolveNodes } from '../graph/nodes.ts';
import { scalars } from '../graph/scalars.ts';
import { buildSubgraph, printSubgraph } from '../graph/subgraph.ts';
import { upstreamResolvers } from '../graph/upstreams.ts';
import { healthEventResolvers } from '../health/health-events.ts';
import { applicationInstanceResolvers } from '../instances/application-instances.ts';
import { instanceOperationResolvers } from '../instances/instance-operations.ts';
import { buildClientSchema } from './sdl.ts';
import { readTypeDefs } from './type-defs.ts';

const resolverMaps: readonly Resolvers[] = [
  ...recordTypes.flatMap(resolversOf),
  batchResolvers(recordTypes),
  applicationInstanceResolvers,
  instanceOperationResolvers,
  healthEventResolvers,
  recordChangeResolvers,
  upstreamResolvers,
];

type FieldResolvers = Record<string, unknown>;

// The files in `schema/` only extend these types, which must be defined once.
const emptyRootTypes = parse('type Mutation type Subscription');

let schemaOfProcess: GraphQLSchema | null = null;

/**
 * The executable schema: a Federation 2 subgraph, from `schema/` and the resolvers of every resource. Introspection
 * describes the schema for clients. It is the same for every server of a process, and nothing changes it.
 */
export function createSchema(): GraphQLSchema {
  schemaOfProcess ??= buildSchema();
  return schemaOfProcess;
}

function buildSchema(): GraphQLSchema {
  const typeDefs = readTypeDefs();
  const subgraph = buildSubgraph(typeDefs);
  const sdl = printSubgraph(subgraph);
  const { fields, references } = splitResolvers();
  // Strict: a resolver for an unknown field prevents the start.
  const schema = addResolversToSchema({
    schema: buildASTSchema(concatAST([subgraph, emptyRootTypes])),
    resolvers: { ...fields, Query: { ...fields.Query, _service: () => ({ sdl }) } },
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  resolveNodes(schema, resolveEntities(schema, references));
  meterResolvers(schema);
  introspectAs(schema, buildClientSchema(typeDefs));
  return schema;
}

function splitResolvers() {
  const fields: Record<string, FieldResolvers> = Object.fromEntries(
    // Functions only: a whole scalar would replace the schema's name and description.
    Object.entries(scalars).map(([name, { serialize, parseValue, parseLiteral }]) => [
      name,
      { serialize, parseValue, parseLiteral },
    ]),
  );
  const references: Record<string, ReferenceResolver> = {};
  for (const resource of resolverMaps) {
    for (const [type, resolvers] of Object.entries(resource)) {
      const { __resolveReference, ...own } = resolvers as FieldResolvers;
      if (__resolveReference) references[type] = __resolveReference as ReferenceResolver;
      fields[type] = { ...fields[type], ...own };
    }
  }
  return { fields, references };
}
