import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { recordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { createAddingFixture, resourceFile } from '../../support/adding.ts';
import { fixture } from '../../support/fixture.ts';

const test = base.extend(
  'checkout',
  fixture(async ({ onCleanup }) => {
    const made = createAddingFixture();
    onCleanup(() => made.remove());
    return made;
  }),
);

const set = 'sandbox/business/sets/resources.ts';
const record = 'schema/records/resources.json';
const entitySets = ['resources'];

describe('in a checkout the command', () => {
  test('writes the record file, the set of the sandbox with its line, and the row of the table', async ({
    checkout,
  }) => {
    const { code, text } = await checkout.add({ entitySets });

    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining(`Wrote ${record}.`) });
    expect(recordTypeFile.parse(JSON.parse(checkout.read(record)))).toEqual(resourceFile());
    expect(checkout.read(set)).toContain('export const resources: EntitySet = entitySet(');
    expect(checkout.read(set)).toContain('"target":"items","from":"itemId"');
    const registry = checkout.read('sandbox/business/entity-sets.ts');
    expect(registry).toMatch(
      /purchase-orders.ts';\nimport \{ resources \} from '.\/sets\/resources.ts';\nimport \{ salesCredit/,
    );
    expect(registry).toMatch(/\n {2}resources,\n\];/);
    expect(checkout.read('docs/record-types.md')).toContain(
      '| `Resource` | `resources` | `v2.0` | `resource`, `resources`, `resourceByNumber` | `item` | none |\n',
    );
  });

  test('changes nothing when it runs again, on another day and from another place', async ({ checkout }) => {
    await checkout.add({ entitySets });
    const before = checkout.snapshot();
    checkout.setDraft(
      resourceFile({ origin: { metadata: 'elsewhere.xml', date: '2026-03-01', notes: ['Not probed.'] } }),
    );

    const again = await checkout.add({ entitySets }, '2026-03-01');
    const updated = await checkout.add({ entitySets, update: true }, '2026-03-01');

    expect([again, updated].map(({ code, text }) => [code, text])).toEqual([
      [0, 'Nothing to do: everything is as the metadata says.\n'],
      [0, 'Nothing to do: everything is as the metadata says.\n'],
    ]);
    expect(checkout.snapshot()).toEqual(before);
  });

  test('keeps names, descriptions and choices that people changed', async ({ checkout }) => {
    await checkout.add({ entitySets });
    const { displayName, ...fields } = resourceFile().fields;
    const edited = resourceFile({
      description: 'A person or a machine.',
      fields: {
        ...fields,
        name: {
          ...displayName,
          kind: 'text',
          description: 'What people call it.',
          column: 'displayName',
          canSort: true,
        },
      },
    });
    checkout.write(record, JSON.stringify(edited));

    const { code, text } = await checkout.add({ entitySets, update: true });

    expect({ code, text }).toEqual({ code: 0, text: 'Nothing to do: everything is as the metadata says.\n' });
    expect(JSON.parse(checkout.read(record))).toEqual(edited);
  });

  test('shows what differs and does not overwrite it without --update', async ({ checkout }) => {
    await checkout.add({ entitySets });
    const before = checkout.snapshot();
    const file = resourceFile();
    checkout.setDraft({ ...file, fields: { ...file.fields, fax: { kind: 'text', description: 'Fax.' } } });

    const { code, text } = await checkout.add({ entitySets });

    expect(code).toBe(1);
    expect(text).toContain('+ field fax (text)');
    expect(text).toContain('+    "fax": {');
    expect(text).toContain('--update');
    expect(checkout.snapshot()).toEqual(before);
  });

  test('writes nothing with --dry-run', async ({ checkout }) => {
    const before = checkout.snapshot();

    const { code, text } = await checkout.add({ entitySets, dryRun: true });

    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.stringContaining(`Would write ${record}.`),
    });
    expect(checkout.snapshot()).toEqual(before);
  });

  test('replaces a set that it wrote, and leaves one that was changed by hand', async ({ checkout }) => {
    await checkout.add({ entitySets });
    const file = resourceFile();
    const grown = {
      ...file,
      fields: { ...file.fields, fax: { kind: 'text' as const, description: 'Fax.' } },
    };
    checkout.setDraft(grown);
    await checkout.add({ entitySets, update: true });
    const replaced = checkout.read(set);
    const byHand = replaced.replace('textField("fax", 100', 'textField("fax", 30');
    checkout.write(set, byHand);
    checkout.setDraft({
      ...grown,
      fields: { ...grown.fields, pager: { kind: 'text', description: 'Pager.' } },
    });

    const { code, text } = await checkout.add({ entitySets, update: true });

    expect(replaced).toContain('textField("fax", 100');
    expect(code).toBe(0);
    expect(text).toContain(`${set} is written by hand and stays as it is.`);
    expect(text).toContain('+    textField("pager", 100');
    expect(checkout.read(set)).toBe(byHand);
    expect(checkout.read(record)).toContain('"pager"');
  });
});

test('the set that is written is one that the sandbox takes', async ({ checkout }) => {
  await checkout.add({ entitySets });
  const file = new URL('../../../sandbox/business/sets/resources-of-a-test.ts', import.meta.url);
  writeFileSync(file, checkout.read(set));
  const { resources } = await import(file.href).finally(() => rmSync(file));
  const { createSeededStore, sandboxCompanyId } = await import('../../../sandbox/seed/seed.ts');
  const company = createSeededStore().companies.get(sandboxCompanyId);
  const rows = [0, 1, 2].map((index) => resources.seed.record({ set: resources, company }, index)?.values);

  expect(resources).toMatchObject({ name: 'resources', typeName: 'resource', hasAddress: true, writes: [] });
  expect(new Set(rows.map(({ id }) => id)).size).toBe(3);
  expect(rows[0]).toMatchObject({ number: 'RES10', displayName: 'Alpine resources', type: 'Person' });
  expect([...(company?.sets.get('items')?.keys() ?? [])]).toContain(rows[1].itemId);
});

test('a set has its key, which record files need not name', async ({ checkout }) => {
  const { id: _id, ...fields } = resourceFile().fields;
  checkout.setDraft(resourceFile({ fields }));

  await checkout.add({ entitySets });

  expect(checkout.read(set)).toContain('guidField("id", readOnly),');
  expect(checkout.read(set).match(/"id"/g)).toHaveLength(1);
});

test('outside of a checkout only record files are written', async ({ checkout }) => {
  const folder = mkdtempSync(join(tmpdir(), 'adding-out-'));
  checkout.write('package.json', '{"name":"another"}');

  const refused = await checkout.add({ entitySets });
  const alone = await checkout.add({ entitySets, json: true, out: folder });
  const printed = await checkout.add({ entitySets, json: true });

  expect(refused).toMatchObject({ code: 2, error: expect.stringContaining('--json') });
  expect(alone.code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'resources.json'), 'utf8'))).toEqual(resourceFile());
  expect(JSON.parse(printed.text)).toEqual(resourceFile());
  rmSync(folder, { recursive: true });
});

test.for([
  ['no source', { metadata: undefined }, '--metadata'],
  ['an entity set of the project', { entitySets: ['customers'] }, 'the type Customer'],
  ['a path for a name', { entitySets: ['../../x'] }, 'not the name of an entity set'],
  ['a name that JavaScript inherits', { entitySets: ['__proto__'] }, 'not the name of an entity set'],
  ['two sets to stdout', { entitySets: ['a', 'b'], json: true }, '--out'],
  ['an update of stdout', { json: true, update: true }, '--out'],
  ['another protocol', { url: 'file:///etc/passwd' }, 'http or https'],
  ['credentials in the URL', { url: 'https://me:hunter2@api.example' }, 'Remove them'],
  ['a route that is a path', { route: '../v2.0' }, '--route'],
  ['a token without a service', { tokenFile: 'x' }, '--url'],
  ['a probe without a service', { probe: true }, '--url'],
  ['writes without consent', { url: 'http://127.0.0.1:9', probeWrites: true }, '--yes-write'],
  ['too many calls', { url: 'http://127.0.0.1:9', maxCalls: '1e9' }, '--max-calls'],
] as const)('wrong arguments end with 2: %s', async ([, args, said], { checkout }) => {
  const before = checkout.snapshot();

  const { code, error } = await checkout.add({ entitySets, ...args } as Parameters<typeof checkout.add>[0]);

  expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(said) });
  expect(error).not.toContain('hunter2');
  expect(checkout.snapshot()).toEqual(before);
});
