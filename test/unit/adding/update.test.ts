import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as base, describe, expect } from 'vitest';
import type { RecordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { createAddingFixture, resourceFile } from '../../support/adding.ts';
import { fixture } from '../../support/fixture.ts';

const test = base.extend(
  'checkout',
  fixture(async ({ onCleanup }) => {
    const made = createAddingFixture();
    await made.add({ entitySets: ['resources'] });
    onCleanup(() => made.remove());
    return made;
  }),
);

const record = 'schema/records/resources.json';
const file = resourceFile();
const update = { entitySets: ['resources'], update: true };

const without = (name: string): RecordTypeFile => {
  const { [name]: _gone, ...fields } = file.fields;
  return { ...file, fields };
};
const { MACHINE: _machine, ...onlyPerson } = file.enums?.ResourceType?.members ?? {};
const withMembers = (members: typeof onlyPerson): RecordTypeFile => ({
  ...file,
  enums: { ResourceType: { description: 'What a resource is.', members } },
});

describe.each([
  ['a column that went', without('unitPrice'), '- field unitPrice', 'Resource.unitPrice was removed.'],
  [
    'another kind',
    {
      ...file,
      fields: { ...file.fields, blocked: { kind: 'text', description: 'Blocked.', canFilter: false } },
    },
    '~ field blocked: (boolean, no filter, no sort) → (text, no filter, no sort)',
    'Resource.blocked changed type from Boolean to String.',
  ],
  [
    'a word that went',
    withMembers(onlyPerson),
    '~ enum ResourceType: (PERSON "Person", MACHINE "Machine") → (PERSON "Person")',
    'MACHINE was removed from enum type ResourceType.',
  ],
  [
    'another key',
    { ...file, key: [{ column: 'number', kind: 'text' }] },
    '~ key: none → [{"column":"number","kind":"text"}]',
    'Resource.id changed its key from id (uuid) to number (text).',
  ],
] as [string, RecordTypeFile, string, string][])('%s breaks clients', (_what, draft, line, broken) => {
  test('and is shown, and applied with --allow-breaking alone', async ({ checkout }) => {
    const before = checkout.snapshot();
    checkout.setDraft(draft);

    const shown = await checkout.add(update);
    const untouched = checkout.snapshot();
    const applied = await checkout.add({ ...update, allowBreaking: true });
    const again = await checkout.add(update);

    expect(shown.code).toBe(1);
    expect(shown.text).toContain(`  ${line}\n`);
    expect(shown.text).toContain(`This breaks clients that use it:\n  ${broken}\n`);
    expect(untouched).toEqual(before);
    expect(applied.code).toBe(0);
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining('Nothing to do') });
  });
});

test('what only came is applied with --update, and new words are said', async ({ checkout }) => {
  checkout.setDraft({
    ...withMembers({ ...file.enums?.ResourceType?.members, TOOL: { word: 'Tool', description: 'Tool.' } }),
    fields: { ...file.fields, fax: { kind: 'text', description: 'Fax.' } },
  });

  const dry = await checkout.add({ ...update, dryRun: true });
  const applied = await checkout.add(update);

  expect(dry).toMatchObject({ code: 0, text: expect.stringContaining(`Would change ${record}.`) });
  expect(applied.text).toContain('+ field fax (text)');
  expect(applied.text).toContain('Clients may not expect:\n  TOOL was added to enum type ResourceType.\n');
  expect(Object.keys(JSON.parse(checkout.read(record)).fields).at(-1)).toBe('fax');
});

test('an update keeps what people wrote and what a probe found', async ({ checkout }) => {
  const edited: RecordTypeFile = {
    ...file,
    fields: { ...file.fields, number: { kind: 'code', description: 'What people say.' } },
    origin: { metadata: 'metadata.xml', date: '2026-01-05', probed: '2026-01-06', notes: ['Probe: all.'] },
  };
  checkout.write(record, JSON.stringify(edited));
  const draft = without('unitPrice');
  checkout.setDraft({
    ...draft,
    origin: { metadata: 'metadata.xml', date: '2026-02-01', notes: ['number: not filtered.'] },
  });

  await checkout.add({ ...update, allowBreaking: true });

  const { origin, fields } = JSON.parse(checkout.read(record)) as RecordTypeFile;
  expect(fields.number).toEqual(edited.fields.number);
  expect(fields.unitPrice).toBeUndefined();
  expect(origin).toEqual({ ...edited.origin, date: '2026-02-01' });
});

test('a file that is not a record file is not changed, and its mistakes are listed', async ({ checkout }) => {
  checkout.write(record, '{"version":1,"type":"resource"}');

  const { code, error } = await checkout.add(update);

  expect(code).toBe(1);
  expect(error).toContain(`${record} is not a record file:`);
  expect(error).toContain('type: The value is not a name in PascalCase');
});

test('of a file that is no record file, nothing is shown', async ({ checkout }) => {
  checkout.write(record, 'sEcReT-token\n');

  const { code, error } = await checkout.add(update);

  expect(code).toBe(1);
  expect(error).toContain('line 1: It is not JSON.');
  expect(error).not.toMatch(/sEc|ReT|'s'/);
});

test('a file that is no text in UTF-8 is not changed', async ({ checkout }) => {
  const bytes = Buffer.from(checkout.read(record).replace('"Resource."', '"Größe."'), 'latin1');
  writeFileSync(join(checkout.folder, record), bytes);

  const { code, error } = await checkout.add(update);

  expect(code).toBe(1);
  expect(error).toMatch(/cannot be read\. Line \d+ is not UTF-8 text\./);
  expect(readFileSync(join(checkout.folder, record))).toEqual(bytes);
});
