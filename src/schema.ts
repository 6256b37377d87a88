import { readdirSync, readFileSync } from 'node:fs';
import { addResolversToSchema } from '@graphql-tools/schema';
import { buildASTSchema, concatAST, type DocumentNode, type GraphQLSchema, parse } from 'graphql';
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
import type { Resolvers } from './generated/graphql.ts';
import { type ReferenceResolver, resolveEntities } from './graph/entities.ts';
import { meterResolvers } from './graph/metered.ts';
import { scalars } from './graph/scalars.ts';
import { printSubgraph, subgraphOf } from './graph/subgraph.ts';
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

type Fields = Record<string, unknown>;

// Extended only, which graphql-js does to what is defined.
const roots = parse('type Mutation type Subscription');

/** The executable schema: a Federation 2 subgraph, from `schema/` and the resolvers of every resource. */
export function createSchema(): GraphQLSchema {
  const subgraph = subgraphOf(readTypeDefs());
  const sdl = printSubgraph(subgraph);
  const { fields, references } = splitResolvers();
  // Strict: a resolver for a field that does not exist fails the start.
  const schema = addResolversToSchema({
    schema: buildASTSchema(concatAST([subgraph, roots])),
    resolvers: { ...fields, Query: { ...fields.Query, _service: () => ({ sdl }) } },
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
  resolveEntities(schema, references);
  meterResolvers(schema);
  return schema;
}

/** The files of `schema/`, in the order of their names. */
export function readTypeDefs(): DocumentNode[] {
  const folder = new URL('../schema/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  return files.sort().map((file) => parse(readFileSync(new URL(file, folder), 'utf8')));
}

function splitResolvers() {
  const fields: Record<string, Fields> = Object.fromEntries(
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
      fields[type] = { ...fields[type], ...own };
    }
  }
  return { fields, references };
}
