import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLField,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { clientSdl } from '../../../src/app/schema/sdl.ts';
import {
  findInputsOfOpenEnums,
  findMisnamed,
  findRequiredRootFields,
  findStrayPayloads,
} from '../../support/cases/graph-rules.ts';

// Descriptions, enums and connections are looked at in schema.test.ts, inputs and payloads in schema-writes.test.ts.
const schema = buildSchema(clientSdl());
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const objects = types.filter(isObjectType);
const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(
  (type) => type != null,
);

type Field = GraphQLField<unknown, unknown>;
const outputs: readonly (readonly [string, Field])[] = [...objects, ...types.filter(isInterfaceType)].flatMap(
  (type) => Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const),
);
const placesOf = (entries: readonly (readonly [string, unknown])[]) => entries.map(([place]) => place);

describe('a name', () => {
  test('of a type is in PascalCase, of a field in camelCase, of a member in capitals; that of an input says what it is for', () => {
    expect(types.length).toBeGreaterThan(100);
    expect(findMisnamed(schema)).toEqual([]);
  });

  test('of an enum with words of an upstream is in no input', () => {
    expect(findInputsOfOpenEnums(schema)).toEqual([]);
  });

  test('of what a mutation gives ends in Payload', () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

    expect(mutations.length).toBeGreaterThan(10);
    expect(mutations.filter(({ type }) => !String(type).endsWith('Payload'))).toEqual([]);
    expect(findStrayPayloads(schema)).toEqual([]);
  });
});

test('what fails leaves the rest of an answer standing: no root field is without null', () => {
  const fields = roots.flatMap((type) => Object.values(type.getFields()));

  expect(fields.length).toBeGreaterThan(20);
  expect(findRequiredRootFields(schema)).toEqual([]);
});

test('a list is a connection, or is documented to come whole', () => {
  const isPage = (place: string) => /(Connection\.(nodes|edges)|Payload\.(userErrors|results))$/.test(place);
  const lists = outputs.filter(([, { type }]) => isListType(getNullableType(type)));
  const whole = lists.filter(([place]) => !isPage(place));
  const page = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## Lists that come whole');
  const documented = [...(section.split('\n## ')[0] ?? '').matchAll(/`(\w+\.\w+)`/g)].map(([, name]) => name);

  expect(placesOf(whole).sort()).toEqual(documented.sort());
});

test('`first` has a default, and stands at connections alone', () => {
  const paged = outputs.filter(([, { args }]) => args.some(({ name }) => name === 'first'));

  expect(paged.length).toBeGreaterThan(15);
  for (const [place, { type }] of paged) expect(getNamedType(type).name, place).toMatch(/Connection$/);
  const connections = outputs.filter(([, { type }]) => getNamedType(type).name.endsWith('Connection'));
  expect(placesOf(connections)).toEqual(placesOf(paged));
});
