import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { expect } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import type { TestLayer } from '../layer.ts';
import { place, stopInstance } from '../operations.ts';

const schema = createSchema();

/** A selection of every field below a type that needs no argument; types that stand above it already end there. */
export function everyField(type: GraphQLObjectType, above: readonly string[] = []): string {
  if (above.includes(type.name)) return '{ __typename }';
  const fields = Object.values(type.getFields()).filter((field) => !field.args.some(isRequiredArgument));
  const parts = fields.map((field) => {
    const below = getNamedType(field.type);
    if (isAbstractType(below)) return `${field.name} { __typename }`;
    return isObjectType(below) ? `${field.name} ${everyField(below, [...above, type.name])}` : field.name;
  });
  return `{ ${parts.join(' ')} }`;
}

/** The fields that had a value somewhere in an answer, as `Type.field`. */
function collect(value: unknown, type: GraphQLObjectType, seen: Set<string>) {
  if (Array.isArray(value)) for (const entry of value) collect(entry, type, seen);
  else if (typeof value === 'object' && value !== null) {
    const fields: Record<string, GraphQLField<unknown, unknown>> = type.getFields();
    for (const [name, inner] of Object.entries(value)) {
      if (inner === null || (Array.isArray(inner) && inner.length === 0)) continue;
      seen.add(`${type.name}.${name}`);
      const below = getNamedType(fields[name]?.type);
      if (isObjectType(below)) collect(inner, below, seen);
    }
  }
}

const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;

async function stopped(layer: TestLayer, name: string): Promise<string> {
  const { operation } = await stopInstance(layer, name, { softStopTimeoutSeconds: 5 });
  return operation.id;
}

/** Reads everything below the layer's queries and subscriptions, and tells which fields never had a value. */
export async function unreadFields(layer: TestLayer): Promise<readonly string[]> {
  const seen = new Set<string>();
  const read = async (query: string, variables = {}) => {
    const { data, errors } = await layer.query(query, variables);
    expect(errors, query).toBeUndefined();
    collect(data, typeOf('Query'), seen);
    return data;
  };
  const lists = Object.values(typeOf('Company').getFields()).filter(({ type }) =>
    getNamedType(type).name.endsWith('Connection'),
  );
  const records = lists.map(({ type }) => getNamedType(type).name.replace('Connection', ''));

  await read(
    `{ companies ${everyField(
      typeOf('CompanyConnection'),
      lists.map(({ type }) => getNamedType(type).name),
    )} }`,
  );
  for (const { name: set, type } of lists) {
    const list = getNamedType(type) as GraphQLObjectType;
    // Records of other kinds are read through their own lists.
    const own = list.name.replace('Connection', '');
    const above = [
      'Company',
      ...records.filter((record) => record !== own),
      ...lists.map((one) => getNamedType(one.type).name),
    ];
    const nodes = everyField(typeOf(own), above);
    const data = await read(
      `{ company { ${set}(first: 200) { nodes ${nodes} edges { cursor node { id } } totalCount pageInfo ${everyField(typeOf('PageInfo'))} } } }`,
    );
    const { id, number } = data.company[set].nodes[0];
    const singles = Object.values(typeOf('Company').getFields()).filter(
      (field) => field.type === typeOf(own),
    );
    for (const { name } of singles) {
      const key = name.endsWith('ByNumber') ? `number: ${JSON.stringify(number)}` : `id: "${id}"`;
      await read(`{ company { ${name}(${key}) { id company { name } } } }`);
    }
  }
  const events = ['SI_1-QRT', 'SI_3-HTM', 'SA_5-XYZ', 'RC_2-PIR', 'HA_3-RTR', 'BL_1-FXR', 'BL_2-UND'];
  for (const trackingId of events) {
    await read(`query ($id: String!) { healthEvent(trackingId: $id) ${everyField(typeOf('HealthEvent'))} }`, {
      id: trackingId,
    });
  }
  await read(
    `{ healthEvents(first: 3) { totalCount pageInfo { endCursor } nodes { id } edges { cursor node { id } } } }`,
  );
  for (const applicationInstanceName of ['app01', 'ailing', 'unavailable']) {
    const instance = everyField(typeOf('ApplicationInstance'), ['HealthEventConnection']);
    const variables = { ...place, applicationInstanceName };
    const given = Object.keys(variables).map((name) => `${name}: $${name}`);
    const declared = Object.keys(variables).map((name) => `$${name}: String!`);
    await read(`query (${declared}) { applicationInstance(${given}) ${instance} }`, variables);
  }
  const { subscriptionId } = place;
  await read(
    `query ($subscriptionId: String!) { virtualInstances(subscriptionId: $subscriptionId, first: 2) {
      totalCount pageInfo { endCursor } edges { cursor node { name } } nodes ${everyField(typeOf('VirtualInstance'), ['HealthEventConnection'])}
    } }`,
    { subscriptionId },
  );
  await read(
    `{ managementSubscriptions ${everyField(typeOf('ManagementSubscriptionConnection'), ['VirtualInstanceConnection', 'HealthEventConnection'])} }`,
  );
  await read(`{ upstreams ${everyField(typeOf('Upstream'))} }`);
  const progress = everyField(typeOf('InstanceOperation'));
  for (const name of ['app01', 'fragile']) {
    const id = await stopped(layer, name);
    for await (const { data, errors } of layer.watch(
      `subscription ($id: ID!) { operationProgress(id: $id) ${progress} }`,
      { id },
    )) {
      expect(errors).toBeUndefined();
      collect(data, typeOf('Subscription'), seen);
    }
  }

  const outputs = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType =>
      // A change is read where one is told: record-changes.test.ts. What mutations return is in test/layer/writing.
      isObjectType(type) &&
      !/^_|(Payload|Result)$|^(Query|Mutation|Subscription|UserError|RecordChange)$/.test(type.name),
  );
  const all = outputs.flatMap((type) =>
    Object.keys(type.getFields()).map((field) => `${type.name}.${field}`),
  );
  expect(all.length).toBeGreaterThan(300);
  return all.filter((field) => !seen.has(field)).sort();
}

/** What no record of the sandbox has: the values of these are tested where they are read. */
export const neverSet = [
  'ApplicationInstance.subnet',
  'Company.businessProfileId',
  'CompanyInformation.addressLine2',
  'CompanyInformation.faxNumber',
  'Contact.website',
  // Of the one kind of instances that the sandbox does not watch.
  'DatabaseInstance.availability',
  'DimensionValue.consolidationCode',
  // Of operations of other kinds.
  'InstanceOperation.centralInstanceName',
  'InstanceOperation.databaseInstanceName',
  'OperationStep.operations',
  'PurchaseInvoice.payToContact',
  'PurchaseInvoice.shipToAddressLine2',
  'PurchaseInvoice.shortcutDimension2Code',
  'PurchaseInvoiceLine.account',
  'PurchaseInvoiceLine.accountId',
  'PurchaseOrder.shipToAddressLine2',
  'PurchaseOrder.shipmentMethod',
  'PurchaseOrder.shipmentMethodId',
  'PurchaseOrder.shortcutDimension2Code',
  'PurchaseOrderLine.account',
  'PurchaseOrderLine.accountId',
  'UpstreamBreaker.openUntil',
  'UpstreamPace.pausedUntil',
  'UpstreamPace.quotaRemaining',
];
