import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startTestLayer, testWith } from '../../support/layer.ts';

const description = 'A field.';
/** A view of items with kinds of columns that no set of the sandbox has. */
const file = {
  version: 1,
  type: 'Gadget',
  description: 'A gadget.',
  names: { one: 'gadget', many: 'gadgets' },
  texts: { one: 'a gadget', many: 'gadgets' },
  route: 'v2.0',
  entitySet: 'items',
  fields: {
    tags: { kind: 'object', description, canFilter: false, canSort: false },
    version: { kind: 'safeInt', description },
  },
  rows: {
    parts: {
      type: 'GadgetPart',
      description,
      rowDescription: 'A part.',
      navigation: 'gadgetParts',
      fields: { name: { kind: 'text', description } },
    },
  },
};

const test = testWith({}, {}).extend('gadgets', async ({ sandbox }, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-records-'));
  writeFileSync(join(folder, 'gadgets.json'), JSON.stringify(file));
  const layer = await startTestLayer(sandbox.url, { RECORD_TYPES: join(folder, '*.json') });
  onCleanup(async () => {
    await layer.stop();
    rmSync(folder, { recursive: true });
  });
  return async (fields: string, text: string) => {
    await sandbox.fault({
      method: 'GET',
      status: 200,
      body: text,
      headers: { 'content-type': 'application/json' },
    });
    return layer.query(`{ company { gadgets(first: 5) { nodes { ${fields} } } } }`);
  };
});

const id = '44444444-4444-4444-8444-444444444444';
const page = (columns: string) => `{"value":[{"id":"${id}",${columns}}]}`;

test('a collection of values is shown as JSON', async ({ gadgets }) => {
  const { data, errors } = await gadgets('tags', page('"tags":["x",{"y":[1]}]'));

  expect(errors).toBeUndefined();
  expect(data.company.gadgets.nodes).toEqual([{ tags: ['x', { y: [1] }] }]);
});

test.for([
  ['9007199254740991', 9007199254740991, undefined],
  ['-9223372036854775808', null, 'beyond'],
  ['9223372036854775807', null, 'beyond'],
  ['1.5', null, undefined],
] as const)(
  'an integer of 64 bits that is %s is exact, or an error',
  async ([text, version, message], { gadgets }) => {
    const { data, errors } = await gadgets('version', page(`"version":${text}`));

    expect(data.company.gadgets.nodes).toEqual([{ version }]);
    expect(errors?.map((error) => [error.extensions?.code, error.message])).toEqual(
      message && [['UPSTREAM_BAD_RESPONSE', expect.stringContaining(`${text} is ${message}`)]],
    );
  },
);

test('rows are no null where the upstream ignores the expansion, and none where it has none', async ({
  gadgets,
}) => {
  const ignored = await gadgets('parts { name }', page('"number":"1"'));
  const none = await gadgets('parts { name }', page('"gadgetParts":[]'));

  expect(ignored.errors?.[0]).toMatchObject({
    path: ['company', 'gadgets', 'nodes', 0, 'parts'],
    message: expect.stringContaining('did not expand `parts`'),
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
  });
  expect(none).toMatchObject({ data: { company: { gadgets: { nodes: [{ parts: [] }] } } } });
  expect(none.errors).toBeUndefined();
});
