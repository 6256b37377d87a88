import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { test as base, describe, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { clientSdl } from '../../../src/app/schema/sdl.ts';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { startTestSandbox } from '../../support/sandbox.ts';
import { type Stub, startStub } from '../../support/stub.ts';

type Field = GraphQLField<unknown, unknown>;

const schema = buildSchema(clientSdl());
const uuid = '00c0ffee-0000-4000-8000-000000000001';

const semantic = (field: Field) =>
  field.astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull') === true;
const places = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) =>
    Object.values(type.getFields())
      .filter(semantic)
      .map((field) => [type.name, field] as const),
  );

const fields = new Map(places.map((place) => [`${place[0]}.${place[1].name}`, place]));

const scalars: Readonly<Record<string, string>> = {
  UUID: `"${uuid}"`,
  Int: '1',
  Boolean: 'true',
  Date: '"2026-01-01"',
};

/** A literal of an input type, with no more than it must have. */
function literalOf(given: GraphQLInputType): string {
  const type = getNullableType(given);
  if (isListType(type)) return `[${literalOf(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (!isInputObjectType(type)) return scalars[type.name] ?? '"1"';
  const fields = Object.values(type.getFields());
  const chosen = type.isOneOf ? fields.slice(0, 1) : fields.filter((field) => isNonNullType(field.type));
  return `{ ${chosen.map(({ name, type: inner }) => `${name}: ${literalOf(inner)}`).join(' ')} }`;
}

const required = (args: readonly GraphQLArgument[]) =>
  args.filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined);

const call = ({ name, args, type }: Field): string => {
  const given = required(args).map((arg) => `${arg.name}: ${literalOf(arg.type)}`);
  const leaf = getNamedType(type);
  return `${name}${given.length > 0 ? `(${given.join(' ')})` : ''}${isObjectType(leaf) ? ' { __typename }' : ''}`;
};

/** Records that have lists, by the list in which they are found. */
const recordLists = {
  Account: 'accounts',
  Dimension: 'dimensions',
  Employee: 'employees',
  Item: 'items',
  SalesOrder: 'salesOrders',
  SalesQuote: 'salesQuotes',
  SalesInvoice: 'salesInvoices',
  SalesCreditMemo: 'salesCreditMemos',
  Vendor: 'vendors',
};

const instanceKinds = ['application', 'central', 'database'] as const;
const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const virtualInstance = `subscriptionId: "${sandboxExamples.instance.subscriptionId}", resourceGroupName: "rg-north", virtualInstanceName: "N01"`;
const owners: Readonly<Record<string, (inner: string) => string>> = {
  Query: (inner) => `{ ${inner} }`,
  Mutation: (inner) => `mutation { ${inner} }`,
  Company: (inner) => `{ company(id: "${sandboxCompanyId}") { ${inner} } }`,
  Customer: (inner) => `{ company { customer(id: "${sandboxExamples.customerId}") { ${inner} } } }`,
  VirtualInstance: (inner) =>
    `{ virtualInstances(subscriptionId: "${sandboxExamples.instance.subscriptionId}", first: 1) { nodes { ${inner} } } }`,
  ...Object.fromEntries(
    instanceKinds.map((kind) => [
      `${capitalize(kind)}Instance`,
      (inner: string) =>
        `{ virtualInstance(${virtualInstance}) { ${kind}Instances(first: 1) { nodes { ${inner} } } } }`,
    ]),
  ),
  ManagementSubscription: (inner) => `{ managementSubscriptions(first: 1) { nodes { ${inner} } } }`,
  HealthEvent: (inner) => `{ healthEvent(trackingId: "SA_1-CRT") { ${inner} } }`,
  ...Object.fromEntries(
    Object.entries(recordLists).map(([type, list]) => [
      type,
      (inner: string) => `{ company { ${list}(first: 1) { nodes { ${inner} } } } }`,
    ]),
  ),
  ItemCategory: (inner) => `{ company { itemCategories(first: 1) { nodes { ${inner} } } } }`,
};

const answers = {
  'that fails': { status: 500, body: { error: { code: 'InternalError', message: 'no' } } },
  'that finds nothing': { status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } },
  'that permits nothing': { status: 403, body: { error: { code: 'Forbidden', message: 'no' } } },
  'of empty objects': { status: 200, body: {} },
  'of empty lists': { status: 200, body: { value: [] } },
  'of empty responses': { status: 204 },
} as const;

const unsettled = new Set(
  ['that fails', 'of empty objects', 'of empty lists'].map((name) => `an upstream ${name}`),
);

const urls = base.extend(
  'layers',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const sandbox = await startTestSandbox({ dialect: 'dynamics' });
    const layers: [string, TestLayer][] = [
      ['the sandbox', await startTestLayer(sandbox.url, { BUSINESS_DIALECT: 'dynamics' })],
    ];
    const stubs: Stub[] = [];
    for (const [name, { status, ...rest }] of Object.entries(answers)) {
      const stub = await startStub(({ target, body }) => {
        if (!target.endsWith('$batch')) return { status, ...rest };
        const { requests } = JSON.parse(body) as { requests: { id: string }[] };
        return { body: { responses: requests.map(({ id }) => ({ id, status, ...rest })) } };
      });
      stubs.push(stub);
      layers.push([`an upstream ${name}`, await startTestLayer(stub.url)]);
    }
    onCleanup(async () => {
      for (const [, layer] of layers) await layer.stop();
      for (const stub of stubs) stub.stop();
      await sandbox.stop();
    });
    return layers;
  }),
);

/** The value at the end of a path of fields, through the first of each list; undefined where one on the way is null. */
const valueAt = (value: unknown, [field, ...rest]: readonly string[]): unknown => {
  const inner = Array.isArray(value) ? value[0] : value;
  if (field === undefined) return value;
  return inner === null || inner === undefined
    ? undefined
    : valueAt((inner as Record<string, unknown>)[field], rest);
};

describe('@semanticNonNull', () => {
  urls('stands at pages, payloads and the lists of Query, and nowhere else', () => {
    const types = new Set(places.map(([, { type }]) => String(type)));
    expect(places.length).toBeGreaterThan(40);
    for (const type of types)
      expect(type).toMatch(/(Connection|Payload)$|^\[(InstanceOperation|Upstream!)\]$/);
    expect(places.filter(([owner]) => !(owner in owners)).map(([owner]) => owner)).toEqual([]);
  });

  // At once, because writes whose outcome is unknown take seconds of waiting.
  urls.concurrent.for([...fields.keys()])(
    '%s is null only with an error',
    async (place, { layers, expect }) => {
      const [owner, field] = fields.get(place) as (typeof places)[number];
      const path =
        {
          Company: ['company'],
          Customer: ['company', 'customer'],
          VirtualInstance: ['virtualInstances', 'nodes'],
          ...Object.fromEntries(
            instanceKinds.map((kind) => [
              `${capitalize(kind)}Instance`,
              ['virtualInstance', `${kind}Instances`, 'nodes'],
            ]),
          ),
          ManagementSubscription: ['managementSubscriptions', 'nodes'],
          HealthEvent: ['healthEvent'],
          ItemCategory: ['company', 'itemCategories', 'nodes'],
          ...Object.fromEntries(
            Object.entries(recordLists).map(([type, list]) => [type, ['company', list, 'nodes']]),
          ),
        }[owner] ?? [];
      const seen = new Set<string>();
      // Writes of several records whose outcome is not known take seconds to settle: fault-writes.test.ts has them.
      const settling = owner === 'Mutation' ? layers.filter(([name]) => !unsettled.has(name)) : layers;
      const query = (owners[owner] as (inner: string) => string)(call(field));
      for (const [name, layer] of settling) {
        const { data, errors = [] } = await layer.query(query);
        const value = valueAt(data, [...path, field.name]);
        const own = errors.filter((error) => error.path?.at(-1) === field.name);
        expect(data, `${name}: ${JSON.stringify(errors)}`).toBeDefined();
        if (value !== undefined) expect(value === null, name).toBe(own.length > 0);
        seen.add(value === null ? 'null' : typeof value);
      }
      // Once, at least, there is something.
      expect([...seen]).toContain('object');
    },
  );
});
