import { readdirSync, readFileSync } from 'node:fs';
import {
  buildASTSchema,
  concatAST,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLSchema,
  isObjectType,
  parse,
  print,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { subgraphSdl } from '../../../src/app/schema/sdl.ts';

const root = new URL('../../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');
const numbers = (version: string) => version.split('.').map(Number);
const byVersion = (one: string, other: string) => {
  const [a, b] = [numbers(one), numbers(other)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
};

const released = readdirSync(new URL('schema/released/', root))
  .map((file) => file.replace(/\.graphql$/, ''))
  .sort(byVersion);
const last = released.at(-1) ?? '';
// Of the two, a subgraph has extensions alone.
const roots = parse('type Mutation type Subscription');
const schemaOf = (text: string) => buildASTSchema(concatAST([roots, parse(text)]));
const sdl = subgraphSdl();
const now = schemaOf(sdl);

// New inputs that nobody has to give surprise no client.
const surprising = new Set<string>([
  DangerousChangeType.VALUE_ADDED_TO_ENUM,
  DangerousChangeType.TYPE_ADDED_TO_UNION,
  DangerousChangeType.IMPLEMENTED_INTERFACE_ADDED,
  DangerousChangeType.ARG_DEFAULT_VALUE_CHANGE,
]);

/** What routers name our types by, and share with us. */
const promisesToRouters = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap(({ name, astNode }) => (astNode?.directives ?? []).map((one) => `${name} ${print(one)}`));

/** In a sentence each, what may break a client or a router, or surprise one. */
function changesBetween(before: GraphQLSchema, after: GraphQLSchema): string[] {
  const kept = new Set(promisesToRouters(after));
  return [
    ...findBreakingChanges(before, after).map(({ description }) => description),
    ...findDangerousChanges(before, after)
      .filter(({ type }) => surprising.has(type))
      .map(({ description }) => description),
    ...promisesToRouters(before)
      .filter((promise) => !kept.has(promise))
      .map((promise) => `${promise} was removed.`),
  ];
}

test('what was released is kept, unless the changelog says so word for word', () => {
  const [, unreleased = ''] = textOf('CHANGELOG.md').split(/^## .*$/m);
  const [, said = ''] = unreleased.split(/^### Schema$/m);

  const changes = changesBetween(schemaOf(textOf(`schema/released/${last}.graphql`)), now);

  expect(said).not.toBe('');
  expect(changes.filter((change) => !said.includes(change))).toEqual([]);
});

test('the last release is of this version or an earlier one', () => {
  expect(byVersion(last, JSON.parse(textOf('package.json')).version)).toBeLessThanOrEqual(0);
});

describe('a client or router could be broken or surprised by', () => {
  const text = `
    directive @key(fields: String!) on OBJECT
    directive @shareable on OBJECT
    type Query { records(first: Int = 50): [Record!] }
    type Record @key(fields: "companyId id") { id: ID! amount: Float rate: Float kind: Kind }
    type PageInfo @shareable { endCursor: String }
    enum Kind { OLD NEW }
    input Change { note: String }
  `;
  const changed = (from: string, to: string) => {
    expect(text).toContain(from);
    return changesBetween(schemaOf(text), schemaOf(text.replace(from, to)));
  };

  test.each([
    ['a field that goes', ' amount: Float', '', 'Record.amount was removed.'],
    ['another type', 'amount: Float', 'amount: Int', 'Record.amount changed type from Float to Int.'],
    ['null where there was none', 'id: ID!', 'id: ID', 'Record.id changed type from ID! to ID.'],
    [
      'what must be given',
      'note: String',
      'note: String!',
      'Change.note changed type from String to String!.',
    ],
    ['a value that goes', 'OLD NEW', 'OLD', 'NEW was removed from enum type Kind.'],
    ['a new value', 'OLD NEW', 'OLD NEW ODD', 'ODD was added to enum type Kind.'],
    ['another default', '= 50', '= 20', 'Query.records arg first has changed defaultValue from 50 to 20.'],
    ['another key', 'companyId id', 'id', 'Record @key(fields: "companyId id") was removed.'],
    ['what is shared no more', ' @shareable {', ' {', 'PageInfo @shareable was removed.'],
  ])('%s', (_what, from, to, said) => {
    expect(changed(from, to)).toEqual([said]);
  });

  test.each([
    ['a field', 'amount: Float', 'amount: Float tax: Float'],
    ['an argument', 'first: Int = 50', 'first: Int = 50 after: String'],
    ['an input', 'note: String', 'note: String kind: Kind'],
    ['a type', 'enum Kind', 'type Other { id: ID } enum Kind'],
  ])('nothing that is only added: %s', (_what, from, to) => {
    expect(changed(from, to)).toEqual([]);
  });
});
