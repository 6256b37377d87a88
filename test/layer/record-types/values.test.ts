import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startTestLayer, testWith } from '../../support/layer.ts';

const text = `"A view of items with kinds of columns that no set of the sandbox has."
type Gadget @record(set: "items", many: "gadgets") {
  "Tags."
  tags: JSON
  "A version."
  version: SafeInt
  "Parts."
  parts: [GadgetPart!] @relation(expand: "gadgetParts")
}

"A part."
type GadgetPart {
  "A name."
  name: String
}

"One whose columns may be null."
type Note @record(set: "items", many: "notes", write: [UPDATE]) {
  "A code."
  code: String @column(nullable: true, write: [UPDATE])
  "A rank."
  rank: Int @column(nullable: true, write: [UPDATE])
}

"A quotation."
type Quotation @record(set: "salesQuotes", write: [CREATE], many: "quotations") {
  "Its number."
  number: String @column(kind: CODE)
  "The number of its customer."
  customerNumber: String @column(kind: CODE, write: [CREATE])
  "Its customer."
  client: Customer @relation(expand: "customer")
}`;

const test = testWith({}, {})
  .extend('graph', async ({ sandbox }, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-records-'));
    writeFileSync(join(folder, 'gadgets.graphql'), text);
    const layer = await startTestLayer(sandbox.url, { RECORD_TYPES: folder });
    onCleanup(async () => {
      await layer.stop();
      rmSync(folder, { recursive: true });
    });
    return { layer, sandbox };
  })
  .extend('gadgets', async ({ graph: { layer, sandbox } }) => async (fields: string, text: string) => {
    await sandbox.fault({
      method: 'GET',
      status: 200,
      body: text,
      headers: { 'content-type': 'application/json' },
    });
    return layer.query(`{ company { gadgets(first: 5) { nodes { ${fields} } } } }`);
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
  ['-9223372036854775808', null, '-9223372036854775808 is beyond'],
  ['1.5', null, 'no integer'],
] as const)(
  'an integer of 64 bits that is %s is exact, or an error',
  async ([text, version, message], { gadgets }) => {
    const { data, errors } = await gadgets('version', page(`"version":${text}`));

    expect(data.company.gadgets.nodes).toEqual([{ version }]);
    expect(errors?.map((error) => [error.extensions?.code, error.message])).toEqual(
      message && [['UPSTREAM_BAD_RESPONSE', expect.stringContaining(message)]],
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

test.for([
  [
    'a next link',
    '"gadgetParts":[{"name":"a"}],"gadgetParts@odata.nextLink":"http://upstream/parts?$skiptoken=1"',
  ],
  ['a count above them', '"gadgetParts@odata.count":2,"gadgetParts":[{"name":"a"}]'],
] as const)('rows with %s are an error, and not told as all', async ([, columns], { gadgets }) => {
  const { data, errors } = await gadgets('id parts { name }', page(columns));

  expect(data.company.gadgets.nodes).toEqual([{ id, parts: null }]);
  expect(errors?.[0]).toMatchObject({
    path: ['company', 'gadgets', 'nodes', 0, 'parts'],
    message: expect.stringContaining('only a part of it'),
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
  });
});

test('a column that may be null is found by null, and cleared with it', async ({
  graph: { layer, sandbox },
}) => {
  await sandbox.fault({ method: 'GET', status: 200, body: { value: [] } });
  await sandbox.fault({ method: 'PATCH', status: 200, body: { id, code: null, rank: null } });
  const filtered = await layer.query(
    '{ company { notes(first: 3, filter: { code: { eq: null }, rank: { ne: null } }) { nodes { id } } } }',
  );
  const changed = await layer.query(
    `mutation { updateNote(input: { id: "${id}", ifMatch: "*", patch: { code: null, rank: null } }) { userErrors { code } } }`,
  );
  const calls = await sandbox.calls();

  expect(filtered.errors).toBeUndefined();
  expect(decodeURIComponent(calls[0]?.path ?? '')).toContain(
    "$filter=(code eq null or code eq '') and rank ne null",
  );
  expect(changed.data.updateNote.userErrors).toEqual([]);
  expect(JSON.parse(calls.find(({ method }) => method === 'PATCH')?.body ?? '')).toEqual({
    code: null,
    rank: null,
  });
});

const query =
  '{ company { quotations(first: 5) { nodes { customerNumber client { number displayName } } } } }';

test('a record that only `$expand` leads to is always expanded, in one call', async ({
  graph: { layer, sandbox },
}) => {
  const data = await layer.read(query);

  expect(data.company.quotations.nodes.length).toBeGreaterThan(0);
  for (const { customerNumber, client } of data.company.quotations.nodes)
    expect(client.number).toBe(customerNumber);
  expect(await sandbox.calls()).toHaveLength(1);
});

test('it is no null where the upstream ignores the expansion', async ({ graph: { layer, sandbox } }) => {
  await sandbox.fault({
    method: 'GET',
    status: 200,
    body: { value: [{ id: '44444444-4444-4444-8444-444444444444', customerNumber: 'C10000' }] },
  });

  const { errors } = await layer.query(query);

  expect(errors?.[0]).toMatchObject({
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    message: expect.stringContaining('did not expand `client`'),
  });
});

test('it is read after a create whose response does not have it', async ({ graph: { layer, sandbox } }) => {
  const data = await layer.read(
    'mutation { createQuotation(input: { customerNumber: "C10000" }) { quotation { client { number } } userErrors { code message } } }',
  );

  expect(data.createQuotation).toEqual({ quotation: { client: { number: 'C10000' } }, userErrors: [] });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST', 'GET']);
});
