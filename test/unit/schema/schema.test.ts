import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isScalarType,
  Kind,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { clientSdl, readTypeDefs, subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { scalars } from '../../../src/graph/scalars.ts';
import {
  findClosedEnums,
  findIncompleteConnections,
  findUndescribed,
} from '../../support/cases/graph-rules.ts';

const schema = createSchema();
const roots = ['Query', 'Mutation', 'Subscription'];

// What federation adds (`_entities`, `_service`, its own types) is in the schema but not in `schema/`.
const defined = new Set(
  readTypeDefs().flatMap(({ definitions }) =>
    definitions.flatMap((definition) =>
      'name' in definition && definition.name ? [definition.name.value] : [],
    ),
  ),
);
const types = Object.values(schema.getTypeMap()).filter(({ name }) => defined.has(name));
const objectTypes = types.filter(isObjectType);
const fieldsOf = (type: GraphQLNamedType): (GraphQLField<unknown, unknown> | GraphQLInputField)[] =>
  isObjectType(type) || isInputObjectType(type)
    ? Object.values(type.getFields()).filter(({ name }) => !name.startsWith('_'))
    : [];

interface Described {
  readonly place: string;
  readonly name: string;
  readonly description: string | null | undefined;
}

/** Everything of the graph that a caller can read about. */
function described(): Described[] {
  return types.flatMap((type) => [
    // Roots are only ever extended, and an extension has no description.
    ...(roots.includes(type.name)
      ? []
      : [{ place: type.name, name: type.name, description: type.description }]),
    ...(isEnumType(type) ? type.getValues() : []).map(({ name, description }) => ({
      place: `${type.name}.${name}`,
      name,
      description,
    })),
    ...fieldsOf(type).flatMap((field) => [
      { place: `${type.name}.${field.name}`, name: field.name, description: field.description },
      ...('args' in field ? field.args : []).map((argument) => ({
        place: `${type.name}.${field.name}(${argument.name})`,
        name: argument.name,
        description: argument.description,
      })),
    ]),
  ]);
}

const fillers = new Set(['a', 'an', 'the', 'of', 'to', 'this', 'its', 's', 'is', 'for', 'in', 'on', 'by']);

function wordsOf(text: string): string[] {
  const spaced = text.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return (spaced.match(/[a-z]+|\d+/g) ?? []).map((word) => word.replace(/(?<=..)s$/, ''));
}

function echoes({ name, description }: Described): boolean {
  const known = new Set(wordsOf(name));
  return wordsOf(description ?? '').every((word) => known.has(word) || fillers.has(word));
}

describe('a description', () => {
  test('stands at every type, field, argument, input field and enum value but those of columns in filters and orders', () => {
    expect(described().length).toBeGreaterThan(1200);
    expect(findUndescribed(buildSchema(clientSdl()))).toEqual([]);
  });

  test('says more than the name', () => {
    expect(
      described()
        .filter((one) => one.description && echoes(one))
        .map(({ place, description }) => `${place}: ${description}`),
    ).toEqual([]);
  });

  test('of a scalar is the one in `schema/`', () => {
    const written = readTypeDefs().flatMap(({ definitions }) =>
      definitions.flatMap((node) =>
        node.kind === Kind.SCALAR_TYPE_DEFINITION ? [[node.name.value, node.description?.value]] : [],
      ),
    );
    const served = types.filter(isScalarType).map(({ name, description }) => [name, description]);

    expect(served.length).toBeGreaterThanOrEqual(6);
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(written));
  });

  test('of a scalar is completed by the address of its specification, for clients and in the subgraph', () => {
    for (const sdl of [clientSdl(), subgraphSdl()]) {
      const specified = [...sdl.matchAll(/^scalar ([A-Z]\w*)\s+@specifiedBy\(url: "(https:.+)"\)$/gm)];
      expect(specified.map(([, name]) => name).sort()).toEqual(Object.keys(scalars).sort());
      for (const [, name = '', url] of specified)
        expect(schema.getType(name)).toMatchObject({ specifiedByURL: url });
    }
  });

  test.each([
    ['displayName', 'The display name.', true],
    ['displayName', 'Display names', true],
    ['SalesOrder', 'A sales order.', true],
    ['UNIT_PRICE', 'The unit price', true],
    ['displayName', "The customer's name as it appears on documents.", false],
    ['city', 'Town of the postal address.', false],
  ])('of %s that is "%s" repeats the name: %s', (name, description, expected) => {
    expect(echoes({ place: name, name, description })).toBe(expected);
  });
});

describe('an enum', () => {
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

  /** Output fields of an enum that an upstream's words are read into. */
  const places = objectTypes.flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => {
        const named = getNamedType(field.type);
        return isEnumType(named) && defined.has(named.name) && !ours.has(named.name);
      })
      .map((field) => `${type.name}.${field.name}`),
  );

  test('is found at the fields of every record that has one', () => {
    expect(places).toEqual(expect.arrayContaining(['HealthEvent.eventTags', 'HealthEvent.status']));
    expect(places.length).toBeGreaterThanOrEqual(10);
  });

  test('is open where an upstream has words for it, with the own word beside it', () => {
    expect(findClosedEnums(schema, ours)).toEqual([]);
  });
});

describe('a connection', () => {
  const connections = objectTypes.filter(({ name }) => name.endsWith('Connection'));
  const typeOf = (type: GraphQLNamedType | undefined, field: string) =>
    isObjectType(type) ? String(type.getFields()[field]?.type) : undefined;

  test('is there for companies, every record and health events', () => {
    const records = objectTypes
      .filter((type) => 'etag' in type.getFields() && 'nodeId' in type.getFields())
      .map(({ name }) => name);

    expect(records.length).toBeGreaterThanOrEqual(12);
    expect(connections.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Company', 'HealthEvent', ...records].map((name) => `${name}Connection`)),
    );
  });

  test('is complete, takes `first`, 50 when left out, and `after`, and is itself nullable', () => {
    const names = new Set(connections.map(({ name }) => name));
    const fields = objectTypes
      .flatMap((type) => Object.values(type.getFields()))
      .filter(({ type }) => names.has(getNamedType(type).name));

    expect(fields.length).toBeGreaterThanOrEqual(names.size);
    expect(findIncompleteConnections(schema)).toEqual([]);
  });

  test('has the page info of Relay', () => {
    const pageInfo = schema.getType('PageInfo');

    expect(typeOf(pageInfo, 'hasNextPage')).toBe('Boolean!');
    expect(typeOf(pageInfo, 'hasPreviousPage')).toBe('Boolean!');
    expect(typeOf(pageInfo, 'startCursor')).toBe('String');
    expect(typeOf(pageInfo, 'endCursor')).toBe('String');
  });
});
