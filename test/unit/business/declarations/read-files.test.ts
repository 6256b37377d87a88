import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { readDeclarationFiles } from '../../../../src/business/declarations/read-files.ts';
import { fixture } from '../../../support/fixture.ts';

const test = base.extend(
  'folder',
  fixture(async ({ onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-records-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    for (const name of ['b.graphql', 'a.graphql', 'notes.txt', '.hidden.graphql'])
      writeFileSync(join(folder, name), name);
    return folder;
  }),
);

const mistake = (file: string, message: string) => ({
  file,
  place: null,
  message: expect.stringContaining(message),
});

test('a path names a file, or the files of a folder, each once', ({ folder }) => {
  const { texts, mistakes } = readDeclarationFiles(['./b.graphql', '.', join(folder, 'a.graphql')], folder);

  expect(mistakes).toEqual([]);
  expect(texts.map(({ text }) => text)).toEqual(['b.graphql', 'a.graphql']);
});

test('files of a mounted ConfigMap are read, which are links by way of hidden folders', ({ folder }) => {
  const mount = join(folder, 'mount');
  mkdirSync(join(mount, '..2026_11_25'), { recursive: true });
  writeFileSync(join(mount, '..2026_11_25', 'vendors.graphql'), '{}');
  symlinkSync('..2026_11_25', join(mount, '..data'));
  symlinkSync('..data/vendors.graphql', join(mount, 'vendors.graphql'));

  const { texts, mistakes } = readDeclarationFiles(['mount'], folder);

  expect({ texts, mistakes }).toEqual({
    texts: [{ file: 'mount/vendors.graphql', text: '{}' }],
    mistakes: [],
  });
});

test('paths that lead to no readable file are told, all of them', ({ folder }) => {
  mkdirSync(join(folder, 'inner.graphql'));
  mkdirSync(join(folder, 'empty'));

  const { texts, mistakes } = readDeclarationFiles(['missing.graphql', 'empty', '.', 'a.graphql'], folder);

  expect(texts.map(({ file }) => file)).toEqual(['a.graphql', 'b.graphql']);
  expect(mistakes).toEqual([
    mistake('missing.graphql', 'It does not exist.'),
    mistake('empty', 'The folder has no file'),
    mistake('inner.graphql', 'It cannot be read: EISDIR.'),
  ]);
});

test('a file that is no text in UTF-8 is told', ({ folder }) => {
  writeFileSync(join(folder, 'latin.graphql'), Buffer.from('{\n"description":"Größe"}', 'latin1'));
  writeFileSync(join(folder, 'shell.graphql'), Buffer.from('\uFEFF{}', 'utf16le'));

  const { texts, mistakes } = readDeclarationFiles(['latin.graphql', 'shell.graphql'], folder);

  expect(texts).toEqual([]);
  expect(mistakes).toEqual([
    mistake('latin.graphql', 'It is not text in UTF-8.'),
    mistake('shell.graphql', 'It is not text in UTF-8.'),
  ]);
});
