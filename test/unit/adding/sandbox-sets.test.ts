import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, describe, expect } from 'vitest';
import type { EntitySet } from '../../../sandbox/business/entity-set.ts';
import { parseRecordKey, recordId } from '../../../sandbox/business/record-keys.ts';
import { createSeededStore, sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { createRandom } from '../../../sandbox/seeded.ts';
import { nameSet } from '../../../src/adding/sandbox-code.ts';
import type { SandboxTargets } from '../../../src/adding/sandbox-rows.ts';
import { describeOmissions, sandboxSets, whyNotServed } from '../../../src/adding/sandbox-set.ts';
import type { RecordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { draftRecordFiles } from '../../../src/metadata/draft-record-files.ts';
import { createAddingFixture, resourceFile } from '../../support/adding.ts';
import { draftOptions, entitySetsOf, metadataOf, services } from '../../support/cases/metadata.ts';
import { fixture } from '../../support/fixture.ts';

const business = fileURLToPath(new URL('../../../sandbox/business/', import.meta.url));
const company = createSeededStore().companies.get(sandboxCompanyId);
if (!company) throw new Error('there is no company');

const test = base
  .extend(
    'load',
    fixture(async ({ onCleanup }) => {
      const parent = mkdtempSync(join(tmpdir(), 'sandbox-sets-'));
      onCleanup(() => rmSync(parent, { recursive: true }));
      /** The sets of a record type as the sandbox loads them; its own comes last. */
      return async (file: RecordTypeFile, targets: SandboxTargets = new Map()): Promise<EntitySet[]> => {
        const sets = sandboxSets(file, targets);
        const folder = mkdtempSync(join(parent, 'sets-'));
        for (const { entitySet, text } of sets)
          writeFileSync(
            join(folder, `${nameSet(entitySet).file}.ts`),
            text.replaceAll("from '../", `from '${business}`),
          );
        const loaded: EntitySet[] = [];
        for (const { entitySet } of sets) {
          const { file: name, identifier } = nameSet(entitySet);
          loaded.push((await import(join(folder, `${name}.ts`)))[identifier]);
        }
        return loaded;
      };
    }),
  )
  .extend(
    'checkout',
    fixture(async ({ onCleanup }) => {
      const made = createAddingFixture();
      onCleanup(() => made.remove());
      return made;
    }),
  );

const seededIn = (set: EntitySet) =>
  Array.from({ length: set.seed?.counts[0] ?? 0 }, (_, index) =>
    set.seed?.record({ set, company, random: createRandom(1) }, index),
  );

/** Names as the sets of custom APIs of Business Central have them. */
const toSetName = (name: string) =>
  name
    .replace(/_+(.)/g, (_all, next: string) => next.toUpperCase())
    .replace(/^./, (first) => first.toLowerCase());

describe.for(services)('the published metadata of %s', (service) => {
  const csdl = metadataOf(service);
  const route = 'contoso/shop/v1.0';
  const drafted = draftRecordFiles(csdl, entitySetsOf(csdl), draftOptions({ route })).files;
  const files = drafted.map((file) => ({ ...file, entitySet: toSetName(file.entitySet) }));

  test('becomes sets of the sandbox at its route, whose records are found by their keys', async ({
    load,
  }) => {
    for (const file of files) {
      expect(whyNotServed(file), file.entitySet).toBeNull();
      const sets = await load(file);
      const own = sets.at(-1) as EntitySet;
      const records = seededIn(own);

      expect(own).toMatchObject({ name: file.entitySet, route });
      expect(own.key).toEqual(file.key?.map(({ column }) => column));
      expect(sets).toHaveLength(Object.keys(file.rows ?? {}).length + 1);
      const ids = records.map((record) => String(record?.values.id));
      expect(new Set(ids).size, `${file.entitySet}: ${ids}`).toBe(records.length);
      expect(records.length).toBeGreaterThan(0);
      for (const id of ids) expect(parseRecordKey(own, id), file.entitySet).toBe(id);
      for (const record of records)
        if (own.key) expect(recordId(own, record?.values ?? {})).toBe(record?.values.id);
    }
  });
});

const rows: NonNullable<RecordTypeFile['rows']> = {
  lines: {
    type: 'ResourceLine',
    description: 'Its lines.',
    rowDescription: 'A line.',
    navigation: 'Lines',
    fields: {
      id: { kind: 'uuid', description: 'Id.' },
      resourceId: { kind: 'uuid', description: 'Owner.' },
      itemId: { kind: 'uuid', description: 'Item.', writes: ['create'] },
      quantity: { kind: 'decimal', description: 'Quantity.', writes: ['create'] },
    },
    relations: { item: { type: 'Item', description: 'Item.', idField: 'itemId', navigation: 'item' } },
  },
  resourceNotes: {
    type: 'ResourceNote',
    description: 'Its notes.',
    rowDescription: 'A note.',
    navigation: 'resourceNotes',
    fields: { note: { kind: 'text', description: 'Note.' } },
  },
};
const items: SandboxTargets = new Map([
  ['Item', { entitySet: 'items', route: 'v2.0', isSeededBefore: true }],
]);

test('rows become sets of their own, which each record has some of', async ({ load }) => {
  const [lines, notes, own] = await load(resourceFile({ rows }), items);
  const records = seededIn(own as EntitySet);

  expect(lines).toMatchObject({ name: 'resourceLines', typeName: 'resourceLine', hasAddress: false });
  expect(lines?.navigations).toEqual([{ name: 'item', target: 'items', from: 'itemId' }]);
  expect(notes?.name).toBe('resourceNotes');
  expect(own?.navigations.slice(1)).toEqual([
    { name: 'Lines', target: 'resourceLines', ownerField: 'resourceId' },
    { name: 'resourceNotes', target: 'resourceNotes' },
  ]);
  expect(records.map((record) => record?.lines?.length)).toEqual([2, 4, 6]);
  for (const record of records) {
    const own = record?.lines?.filter((line) => line.quantity !== undefined) ?? [];
    for (const line of own) {
      expect(line.resourceId).toBe(record?.values.id);
      expect([...(company.sets.get('items')?.keys() ?? [])]).toContain(line.itemId);
    }
  }
});

test('the sets of rows are registered before the set that refers to them', async ({ checkout }) => {
  checkout.setDraft(resourceFile({ rows }));

  const first = await checkout.add({ entitySets: ['resources'] });
  const before = checkout.snapshot();
  const again = await checkout.add({ entitySets: ['resources'] });

  expect(first.code).toBe(0);
  expect(checkout.read('sandbox/business/entity-sets.ts')).toMatch(
    /\n {2}resourceLines,\n {2}resourceNotes,\n {2}resources,\n\];/,
  );
  expect(checkout.read('sandbox/business/sets/resources.ts')).toContain(
    "import { resourceLines } from './resource-lines.ts';",
  );
  expect(again.text).toBe('Nothing to do: everything is as the metadata says.\n');
  expect(checkout.snapshot()).toEqual(before);
});

test('rows that are an entity set of another type have one set, with an address', async ({ checkout }) => {
  const resources = resourceFile({
    rows: { lines: { ...rows.resourceNotes, navigation: 'resourceLines' } as never },
  });
  const lines = resourceFile({
    type: 'ResourceLine',
    entitySet: 'resourceLines',
    names: { one: 'line', many: 'lines' },
  });
  checkout.setDraft(() => ({ files: [resources, lines], notes: [] }));
  await checkout.add({ entitySets: ['resources', 'resourceLines'] });
  const together = checkout.read('sandbox/business/sets/resource-lines.ts');
  const again = await checkout.add({ entitySets: ['resources', 'resourceLines'], update: true });

  expect(together).toContain('seed: seedRows(');
  expect(again.text).toBe('Nothing to do: everything is as the metadata says.\n');
});

test('an entity set whose records the sandbox has as rows is not served, and the command says so', async ({
  checkout,
}) => {
  checkout.setDraft(resourceFile({ rows }));
  await checkout.add({ entitySets: ['resources'] });
  const written = checkout.read('sandbox/business/sets/resource-notes.ts');
  checkout.setDraft(
    resourceFile({
      type: 'Memo',
      entitySet: 'resourceNotes',
      names: { one: 'memo', many: 'memos' },
      enums: {},
    }),
  );

  const { text: printed } = await checkout.add({ entitySets: ['resourceNotes'] });

  expect(printed).toContain('because it has one of that name that is reached by $expand alone');
  expect(checkout.read('sandbox/business/sets/resource-notes.ts')).toBe(written);
});

test('types that are added together refer to each other, and a type to itself', async ({ checkout }) => {
  const { itemId, ...fields } = resourceFile().fields;
  const relationTo = (type: string) => ({
    other: { type, description: 'Another.', idField: 'otherId', navigation: 'other' },
    parent: { type: 'Resource', description: 'Parent.', idField: 'parentId', navigation: 'parent' },
  });
  const uuid = { kind: 'uuid', description: 'Id.' } as const;
  const resources = resourceFile({
    fields: { ...fields, otherId: uuid, parentId: uuid },
    relations: relationTo('Tool'),
  });
  const tools = { ...resources, type: 'Tool', entitySet: 'tools', relations: relationTo('Resource') };
  checkout.setDraft(() => ({
    files: [resources, { ...tools, names: { one: 'tool', many: 'tools' } }],
    notes: [],
  }));
  const entitySets = ['resources', 'tools'];

  await checkout.add({ entitySets });
  const written = checkout.read('sandbox/business/sets/resources.ts');
  const later = checkout.read('sandbox/business/sets/tools.ts');
  const again = await checkout.add({ entitySets, update: true });

  expect(itemId).toBeDefined();
  expect(written).toContain('{"name":"other","target":"tools","from":"otherId"}');
  expect(written).toContain('{"name":"parent","target":"resources","from":"parentId"}');
  // The first company has none of a later set when its records are made.
  expect(written).not.toContain('references');
  expect(later).toContain('"references": {"otherId":"resources","parentId":"resources"}');
  expect(again.text).toBe('Nothing to do: everything is as the metadata says.\n');
});

const text = { kind: 'text', description: 'Text.' } as const;

test.for([
  ['a key `id` that is no GUID', { key: [{ column: 'id', kind: 'int' }] }, 'GUIDs alone in a column `id`'],
  ['v1.0', { route: 'v1.0' }, 'v1.0 of the sandbox has items only'],
  ['a name that is none of code', { entitySet: 'Größen' }, 'no name of code'],
] as const)('what the sandbox cannot have is said: %s', async ([, changes, said], { checkout }) => {
  const file = resourceFile(changes as Partial<RecordTypeFile>);
  checkout.setDraft(file);

  const { code, text: printed } = await checkout.add({ entitySets: [file.entitySet], route: file.route });

  expect(code).toBe(0);
  expect(printed).toContain(`The sandbox has no set made for ${file.entitySet}, because`);
  expect(printed).toContain(said);
  expect(Object.keys(checkout.snapshot()).filter((path) => path.startsWith('sandbox/business/sets'))).toEqual(
    [],
  );
});

test('a set of the same name at another route is not replaced, and the command says so', async ({
  checkout,
}) => {
  const path = 'sandbox/business/sets/resources.ts';
  checkout.write(path, 'export const resources = {\n    route: customRoute,\n};\n');
  const before = checkout.read(path);
  checkout.setDraft(resourceFile());

  const { text: printed } = await checkout.add({ entitySets: ['resources'] });

  expect(printed).toContain('because it has a set of that name at the route contoso/app/v1.0');
  expect(checkout.read(path)).toBe(before);
  expect(checkout.read('sandbox/business/entity-sets.ts')).not.toContain('resources');
});

test('texts that the service makes up for a key leave creates out, and the command says so', async ({
  load,
}) => {
  const file = resourceFile({
    key: [{ column: 'code', kind: 'text' }],
    fields: { code: text, note: { ...text, writes: ['create'] } },
    writes: ['create', 'delete'],
    rows: { größen: { ...rows.lines, navigation: 'größen' } as NonNullable<typeof rows.lines> },
    files: { picture: { segment: 'picture/content', description: 'Picture.' } },
  });
  const [own] = await load(file);

  expect(own?.writes).toEqual(['DELETE']);
  expect(describeOmissions(file)).toEqual([
    "The sandbox's resources takes no creates, because the service itself makes up code.",
    "The sandbox's resources has no rows größen, because that is no name of code: English letters and digits.",
    "The sandbox's resources has no file picture/content.",
  ]);
});
