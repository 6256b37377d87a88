import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadGraphModel } from '../../../src/app/schema/graph-model.ts';
import { createExtensionContext } from '../../../src/business/records/extension-context.ts';
import type { ExtensionContext } from '../../../src/graph/extension.ts';
import { startDeadline } from '../../../src/runtime/deadline.ts';

/** What is said of an extension with these files, without the name of the folder. */
async function mistakesOf(files: Readonly<Record<string, string>>, HIDDEN: string[] = []): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-extension-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const EXTENSIONS = Object.keys(files).length > 0 ? folder : undefined;
  const failure = await loadGraphModel({ RECORD_TYPES: [], EXTENSIONS, HIDDEN }).catch((error) => error);
  expect(failure).toMatchObject({ name: 'ConfigError' });
  return failure.message.replaceAll(`${folder}/`, '');
}

const resolve = 'export default { Customer: { points: () => 1 } };';
const points = 'extend type Customer {\n  points: Int\n}\n';

describe('an extension is refused with file, line and column', () => {
  test.each([
    [
      'an unknown type',
      { 'a.graphql': points.replace('Int', 'Itn'), 'a.mjs': resolve },
      'a.graphql:2:11: Unknown type "Itn".',
    ],
    ['no resolver', { 'a.graphql': points }, 'a.graphql:2:3: `Customer.points` has no resolver.'],
    [
      'a mutation',
      { 'a.graphql': 'extend type Mutation {\n  a: Int\n}' },
      'a.graphql:1:1: An extension adds fields',
    ],
    [
      'a record as a value',
      { 'a.graphql': points.replace('Int', '[Item]'), 'a.mjs': resolve },
      'a.graphql:2:11: A field of an extension has a scalar',
    ],
    ['no GraphQL', { 'a.graphql': 'extend type Customer {' }, 'a.graphql:1:23: It is not GraphQL.'],
    [
      'a resolver without a field',
      { 'a.graphql': points, 'a.mjs': resolve.replace('points', 'number') },
      'a.mjs: The files add no field `Customer.number`.',
    ],
    [
      'a module that cannot be loaded',
      { 'a.graphql': points, 'a.mjs': "throw new Error('Broken');" },
      'a.mjs: It cannot be loaded. Broken',
    ],
  ] as const)('for %s', async (_what, files, expected) => {
    const message = await mistakesOf(files);

    expect(message).toContain('EXTENSIONS: ');
    expect(message).toContain(expected);
  });
});

describe('HIDDEN is refused', () => {
  test.each([
    ['Customer.size', 'HIDDEN: The graph has no `Customer.size`.'],
    [
      'SalesOrder.customerId',
      'Interface field SalesDocument.customerId expected but SalesOrder does not provide it.',
    ],
  ])('for %s', async (name, expected) => {
    expect(await mistakesOf({}, [name])).toContain(expected);
  });
});

describe('the reader of an extension', () => {
  const pathOf = async (read: (get: ExtensionContext['business']['get']) => unknown) => {
    const paths: string[] = [];
    const send = async ({ path }: { readonly path: string }) => {
      paths.push(path);
      return { body: null } as never;
    };
    await read(createExtensionContext({ send }, {} as never, null).context.business.get);
    return paths[0];
  };

  test.each([
    ["a'b", '%27%27b'],
    ['100%', '100%25'],
  ])('encodes the value %s', async (value, encoded) => {
    expect(await pathOf((get) => get`/a(${value})?$filter=b eq '${value}'`)).toMatch(
      new RegExp(`^/a\\([^()/?#' ]*${encoded}\\)\\?\\$filter=b%20eq%20'[^'&#]*${encoded}'$`),
    );
  });

  test('makes comparisons of a column and texts', async () => {
    expect(await pathOf((get) => get`/a?$filter=${{ no: ['A', "b'"] }}`)).toBe(
      "/a?$filter=no%20eq%20'A'%20or%20no%20eq%20'b%27%27'",
    );
  });
});

describe('the loader of an extension', () => {
  test.each([
    ['a query', startDeadline(60_000), [['a', 'b']]],
    ['a mutation', null, [['a', 'b'], ['a']]],
  ])(
    'loads each key once, and in %s keeps it only if nothing is written',
    async (_operation, deadline, expected) => {
      const batches: (readonly string[])[] = [];
      const { loader } = createExtensionContext({} as never, {} as never, deadline).context;
      const load = (key: string) =>
        loader<string, string>('texts', async (keys) => {
          batches.push(keys);
          return keys;
        }).load(key);

      expect(await Promise.all(['a', 'b', 'a'].map(load))).toEqual(['a', 'b', 'a']);
      await load('a');
      expect(batches).toEqual(expected);
    },
  );
});

test('a resolver that never ends fails when the time of its query is over', async () => {
  const { settle } = createExtensionContext({} as never, {} as never, startDeadline(10));

  await expect(settle(new Promise(() => {}))).rejects.toThrow('The resolver took too long.');
  expect(settle(7)).toBe(7);
});
