import { readdirSync, readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  Kind,
  parse,
} from 'graphql';
import { accountResolvers } from './business/accounts.ts';
import { companyResolvers } from './business/companies.ts';
import { currencyResolvers } from './business/currencies.ts';
import { customerResolvers } from './business/customers.ts';
import { employeeResolvers } from './business/employees.ts';
import { itemCategoryResolvers } from './business/item-categories.ts';
import { itemResolvers } from './business/items.ts';
import { paymentMethodResolvers } from './business/payment-methods.ts';
import { paymentTermResolvers } from './business/payment-terms.ts';
import { salesOrderResolvers } from './business/sales-orders.ts';
import { salesQuoteResolvers } from './business/sales-quotes.ts';
import { shipmentMethodResolvers } from './business/shipment-methods.ts';
import { unitOfMeasureResolvers } from './business/units-of-measure.ts';
import { recordChangeResolvers } from './changes/record-changes.ts';
import { InputError } from './errors.ts';
import type { Resolvers } from './generated/graphql.ts';
import { meterResolvers } from './graph/metered.ts';
import { scalars } from './graph/scalars.ts';
import { healthEventResolvers } from './health/health-events.ts';
import { applicationInstanceResolvers } from './instances/application-instances.ts';
import { instanceOperationResolvers } from './instances/instance-operations.ts';
import { upstreamResolvers } from './upstream/upstreams.ts';

const resources: readonly Resolvers[] = [
  companyResolvers,
  customerResolvers,
  itemResolvers,
  salesOrderResolvers,
  salesQuoteResolvers,
  employeeResolvers,
  paymentTermResolvers,
  itemCategoryResolvers,
  unitOfMeasureResolvers,
  currencyResolvers,
  shipmentMethodResolvers,
  paymentMethodResolvers,
  accountResolvers,
  applicationInstanceResolvers,
  instanceOperationResolvers,
  healthEventResolvers,
  recordChangeResolvers,
  upstreamResolvers,
];

type Reference = Readonly<Record<string, unknown>>;
type ReferenceResolver = (reference: Reference, context: unknown, info: unknown) => unknown;
type Fields = Record<string, unknown>;

/** The executable schema: a Federation 2 subgraph, from `schema/` and the resolvers of every resource. */
export function createSchema(): GraphQLSchema {
  const { fields, references } = splitResolvers();
  const schema = buildSubgraphSchema({
    typeDefs: readTypeDefs(),
    resolvers: Object.fromEntries(
      Object.entries(references).map(([type, __resolveReference]) => [type, { __resolveReference }]),
    ),
  });
  // Strict, where buildSubgraphSchema is not: a resolver for a field that does not exist fails the start.
  const complete = addResolversToSchema({
    schema,
    resolvers: fields as Record<string, Fields>,
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  checkRepresentations(complete, new Set(Object.keys(references)));
  meterResolvers(complete);
  return complete;
}

/** The files of `schema/`, in the order of their names. */
export function readTypeDefs(): DocumentNode[] {
  const folder = new URL('../schema/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  return files.sort().map((file) => parse(readFileSync(new URL(file, folder), 'utf8')));
}

function splitResolvers() {
  const fields: Record<string, unknown> = Object.fromEntries(
    // Given whole, a scalar would bring its own name and description along.
    Object.entries(scalars).map(([name, { serialize, parseValue, parseLiteral }]) => [
      name,
      { serialize, parseValue, parseLiteral },
    ]),
  );
  const references: Record<string, ReferenceResolver> = {};
  for (const resource of resources) {
    for (const [type, resolvers] of Object.entries(resource)) {
      const { __resolveReference, ...own } = resolvers as Fields;
      if (__resolveReference) references[type] = __resolveReference as ReferenceResolver;
      fields[type] = { ...(fields[type] as Fields | undefined), ...own };
    }
  }
  return { fields, references };
}

// A router's representations are untyped. Their keys pass the same scalars as arguments do, before they can get
// anywhere near an upstream path; and one that is no good is an error of its own, where the library would fail all.
function checkRepresentations(schema: GraphQLSchema, entities: ReadonlySet<string>): void {
  const field = schema.getQueryType()?.getFields()._entities as GraphQLField<unknown, unknown>;
  const resolve = field.resolve as GraphQLFieldResolver<unknown, unknown>;
  field.resolve = (root, { representations }, context, info) =>
    (representations as readonly unknown[]).map(async (given) => {
      const representation = coerced(schema, entities, given);
      const [entity] = resolve(root, { representations: [representation] }, context, info) as unknown[];
      return entity;
    });
}

function coerced(schema: GraphQLSchema, entities: ReadonlySet<string>, given: unknown): Reference {
  const { __typename: typeName } = (given ?? {}) as Reference;
  if (typeof typeName !== 'string')
    throw new InputError('A representation is an object: `__typename`, and the fields of that key.');
  if (!entities.has(typeName))
    throw new InputError(`There are no entities of the type \`${typeName}\` here.`);
  const type = schema.getType(typeName) as GraphQLObjectType;
  const reference: Fields = { ...(given as Reference) };
  for (const name of keyFields(type)) {
    const fieldType = getNamedType(type.getFields()[name]?.type);
    try {
      reference[name] = isLeafType(fieldType) ? fieldType.parseValue(reference[name]) : undefined;
    } catch (error) {
      throw new InputError(
        `The representation of ${typeName} has a bad \`${name}\`. ${(error as Error).message}`,
      );
    }
  }
  return reference;
}

function keyFields({ astNode }: GraphQLObjectType): string[] {
  const key = astNode?.directives?.find((directive) => directive.name.value === 'key');
  const fields = key?.arguments?.find((argument) => argument.name.value === 'fields')?.value;
  return fields?.kind === Kind.STRING ? fields.value.split(' ') : [];
}
