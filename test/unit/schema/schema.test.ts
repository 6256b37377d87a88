import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLField,
  getNullableType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { clientSdl, subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { scalars } from '../../../src/graph/scalars.ts';
import { findClosedEnums, rulesOfRecordTypes } from '../../support/cases/graph-rules.ts';

const schema = buildSchema(clientSdl());
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
type Field = GraphQLField<unknown, unknown>;
const outputs: readonly (readonly [place: string, field: Field])[] = types.flatMap((type) =>
  isObjectType(type) || isInterfaceType(type)
    ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const)
    : [],
);

test.each(Object.entries(rulesOfRecordTypes))('the graph keeps the rule of %s', (_rule, findFaults) => {
  expect(findFaults(schema)).toEqual([]);
});

test('an enum is open where an upstream has words for it, with the own word beside it', () => {
  // The layer makes up these words itself; no upstream ever sends one.
  const ours = new Set([
    'InstanceAction',
    'InstanceKind',
    'OperationState',
    'UserErrorCode',
    'RecordType',
    'RecordChangeKind',
    'UpstreamName',
    'BreakerState',
  ]);

  expect(findClosedEnums(schema, ours)).toEqual([]);
});

test('a list is a connection, or is documented to come whole', () => {
  const isPage = (place: string) => /(Connection\.(nodes|edges)|Payload\.(userErrors|results))$/.test(place);
  const lists = outputs.filter(([, { type }]) => isListType(getNullableType(type))).map(([place]) => place);
  const page = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## Lists that come whole');
  const documented = [...(section.split('\n## ')[0] ?? '').matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => name);

  expect(lists.filter((place) => !isPage(place)).sort()).toEqual(documented.sort());
});

test('a list field never contains null, but for those of a query', () => {
  for (const [place, { type }] of outputs) {
    const list = isNonNullType(type) ? type.ofType : type;
    if (!isListType(list) || place.startsWith('Query.')) continue;
    expect(isNonNullType(list.ofType), place).toBe(true);
  }
});

test('a scalar has the address of its specification, for clients and in the subgraph', () => {
  for (const sdl of [clientSdl(), subgraphSdl()]) {
    const specified = [...sdl.matchAll(/^scalar ([A-Z]\w*)\s+@specifiedBy\(url: "(https:.+)"\)$/gm)];
    expect(specified.map(([, name]) => name).sort()).toEqual(Object.keys(scalars).sort());
    for (const [, name = '', url] of specified)
      expect(createSchema().getType(name)).toMatchObject({ specifiedByURL: url });
  }
});

test('@semanticNonNull stands at pages, payloads and the lists of Query, and nowhere else', () => {
  const isSemantic = ({ astNode }: Field) =>
    astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull') === true;
  const marked = outputs.filter(([, field]) => isSemantic(field));

  expect(marked.length).toBeGreaterThan(40);
  for (const [place, { type }] of marked)
    expect(String(type), place).toMatch(/(Connection|Payload)$|^\[(InstanceOperation|Upstream!)\]$/);
});

test.each([
  ['SalesDocument', ['SalesInvoice', 'SalesOrder', 'SalesQuote']],
  ['SalesDocumentLine', ['SalesCreditMemoLine', 'SalesInvoiceLine', 'SalesOrderLine', 'SalesQuoteLine']],
])('the interface %s has every field that all of its types have with one type', (name, types) => {
  const signaturesOf = (owner: string) =>
    outputs
      .filter(([place]) => place.startsWith(`${owner}.`))
      .map(
        ([, { name, type, args }]) =>
          `${name}(${args.map((arg) => `${arg.name}: ${arg.type} = ${arg.defaultValue}`)}): ${type}`,
      );
  const [first = [], ...others] = types.map(signaturesOf);
  const shared = first.filter((signature) => others.every((other) => other.includes(signature)));

  expect(shared.length).toBeGreaterThan(20);
  expect(signaturesOf(name)).toEqual(shared);
});
