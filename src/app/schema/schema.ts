import { addResolversToSchema } from '@graphql-tools/schema/addResolversToSchema';
import { buildASTSchema, concatAST, type DocumentNode, type GraphQLSchema, isObjectType } from 'graphql';
import { ownResolvers } from '../../business/declarations/behaviours.ts';
import {
  crossTypeResolvers,
  listResolvers,
  resolversOf,
} from '../../business/declarations/record-resolvers.ts';
import { recordChangeResolvers } from '../../changes/changes.ts';
import type { Resolvers } from '../../generated/graphql.ts';
import type { Context } from '../../graph/context.ts';
import { parseDefinitions } from '../../graph/definition-keys.ts';
import { type ReferenceResolver, resolveEntities } from '../../graph/entities.ts';
import { introspectAs } from '../../graph/introspection.ts';
import { resolveNodes } from '../../graph/nodes.ts';
import { scalars } from '../../graph/scalars.ts';
import { buildSubgraph, printDefinitions } from '../../graph/subgraph.ts';
import { upstreamResolvers } from '../../graph/upstreams.ts';
import type { UserError } from '../../graph/user-errors.ts';
import { healthEventResolvers } from '../../health/health-events.ts';
import { instanceResolvers } from '../../instances/instance-resolvers.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { instanceHealthResolvers } from '../instance-health.ts';
import { productRecordTypes } from './product-record-types.ts';
import { buildClientSchema, type GraphModel, readTypeDefs, visibleRecordTypes } from './sdl.ts';

const resolverMapsOf = (model: GraphModel): readonly Resolvers[] => [
  ...visibleRecordTypes(model).flatMap(resolversOf),
  ...model.ownedLists.map(listResolvers),
  crossTypeResolvers(visibleRecordTypes(model)),
  ...ownResolvers,
  instanceResolvers,
  healthEventResolvers,
  instanceHealthResolvers,
  recordChangeResolvers,
  upstreamResolvers,
  extensionResolvers(model),
];

const extensionResolvers = ({ extension }: GraphModel) =>
  mapValues(extension?.resolvers ?? {}, (fields) =>
    mapValues(fields, (resolve) => ({
      resolve: (record: unknown, args: unknown, { extension: { context, settle } }: Context) =>
        settle(resolve(record, args, context)),
      extensions: { isOfExtension: true },
    })),
  ) as unknown as Resolvers;

const mapValues = <Value, Result>(object: Readonly<Record<string, Value>>, map: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));

type FieldResolvers = Record<string, unknown>;

// The files in `schema/` only extend these types, so they need a definition.
const emptyRootTypes = parseDefinitions('type Mutation type Subscription');

const schemas = new WeakMap<GraphModel, GraphQLSchema>();
const printed = new WeakMap<DocumentNode, string>();

/** Prints the SDL at the first request of a router. */
const printOnce = (subgraph: DocumentNode) =>
  getOrCompute(printed, subgraph, () => printDefinitions(subgraph));

/**
 * Creates the executable schema: a Federation 2 subgraph. Introspection describes the schema for clients. Servers with the same
 * model share one schema, which is immutable.
 */
export const createSchema = (model: GraphModel = productRecordTypes()): GraphQLSchema =>
  getOrCompute(schemas, model, () => buildSchema(model));

function buildSchema(model: GraphModel): GraphQLSchema {
  const typeDefs = readTypeDefs(model);
  const subgraph = buildSubgraph(typeDefs);
  const { fields: allFields, references } = splitResolvers(resolverMapsOf(model));
  // Not validated here, so that the start is fast: tests validate the product's schema, `loadGraphModel` that of files.
  const plain = buildASTSchema(concatAST([subgraph, emptyRootTypes]), { assumeValidSDL: true });
  const fields = model.hidden?.size ? onlyDefined(allFields, plain) : allFields;
  // Strict: a resolver for an unknown field prevents the start.
  const schema = addResolversToSchema({
    schema: plain,
    resolvers: {
      ...fields,
      Query: { ...fields.Query, _service: () => ({ sdl: printOnce(subgraph) }) },
      Mutation: reportUserErrors(fields.Mutation ?? {}),
    },
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
    // The schema was built here and is not used elsewhere.
    updateResolversInPlace: true,
  });
  resolveNodes(schema, resolveEntities(schema, references));
  introspectAs(schema, () => buildClientSchema(typeDefs));
  return schema;
}

/** Removes the resolvers of types and fields that the schema lacks. */
const onlyDefined = (resolvers: Readonly<Record<string, FieldResolvers>>, schema: GraphQLSchema) =>
  Object.fromEntries(
    Object.entries(resolvers).flatMap(([name, fields]) => {
      const type = schema.getType(name);
      const kept = Object.entries(fields).filter(
        ([field]) => !isObjectType(type) || Object.hasOwn(type.getFields(), field),
      );
      return type ? [[name, Object.fromEntries(kept)]] : [];
    }),
  );

function splitResolvers(resolverMaps: readonly Resolvers[]) {
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

interface Payload {
  readonly userErrors?: readonly UserError[];
  readonly results?: readonly { readonly userErrors: readonly UserError[] }[];
}

type MutationResolver = (
  root: unknown,
  args: never,
  context: Context,
  info: never,
) => Payload | Promise<Payload>;

/**
 * Wraps mutations so that they report a user error of their payload to the context: the first with a cause of its own, since
 * the other entries of a transaction only name the transaction.
 */
const reportUserErrors = (mutations: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(mutations).map(([name, resolve]) => [
      name,
      async (root: unknown, args: never, context: Context, info: never) => {
        const payload = await (resolve as MutationResolver)(root, args, context, info);
        const errors = payload.userErrors ?? payload.results?.flatMap(({ userErrors }) => userErrors) ?? [];
        const error = errors.find(({ path, upstream }) => path ?? upstream) ?? errors[0];
        if (error) context.reportUserError(error);
        return payload;
      },
    ]),
  );
