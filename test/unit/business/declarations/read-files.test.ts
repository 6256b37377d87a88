import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
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
    for (const name of ['b.json', 'a.json', 'notes.txt', '.hidden.json'])
      writeFileSync(join(folder, name), name);
    return folder;
  }),
);

const mistake = (file: string, message: string) => ({
  file,
  place: null,
  message: expect.stringContaining(message),
});

test('a path names a file, and one with an asterisk all files of such a name, each once', ({ folder }) => {
  const { texts, mistakes } = readDeclarationFiles(['./b.json', '*.json', join(folder, 'a.json')], folder);

  expect(mistakes).toEqual([]);
  expect(texts.map(({ text }) => text)).toEqual(['b.json', 'a.json']);
});

test('files of a mounted ConfigMap are read, which are links by way of hidden folders', ({ folder }) => {
  const mount = join(folder, 'mount');
  mkdirSync(join(mount, '..2026_11_25'), { recursive: true });
  writeFileSync(join(mount, '..2026_11_25', 'vendors.json'), '{}');
  symlinkSync('..2026_11_25', join(mount, '..data'));
  symlinkSync('..data/vendors.json', join(mount, 'vendors.json'));

  const { texts, mistakes } = readDeclarationFiles(['mount/*'], folder);

  expect({ texts, mistakes }).toEqual({ texts: [{ file: 'mount/vendors.json', text: '{}' }], mistakes: [] });
});

test('paths that lead to no readable file are told, all of them', ({ folder }) => {
  mkdirSync(join(folder, 'inner.json'));
  writeFileSync(join(folder, 'large.json'), '');
  truncateSync(join(folder, 'large.json'), 1_000_001);

  const { texts, mistakes } = readDeclarationFiles(
    ['missing.json', 'none-*.json', 'no-folder/*.json', '*/a.json', 'inner.json', 'large.json', 'a.json'],
    folder,
  );

  expect(texts.map(({ file }) => file)).toEqual(['a.json']);
  expect(mistakes).toEqual([
    mistake('none-*.json', 'No file has such a name.'),
    mistake('no-folder/*.json', 'It does not exist.'),
    mistake('*/a.json', 'not in that of a folder'),
    mistake('missing.json', 'It does not exist.'),
    mistake('inner.json', 'It is not a file.'),
    mistake('large.json', '1000001 bytes are more than 1000000.'),
  ]);
});

test('more files than a graph can have are refused before any is read', ({ folder }) => {
  for (let number = 0; number <= 500; number++) writeFileSync(join(folder, `many-${number}.json`), '');

  const { texts, mistakes } = readDeclarationFiles(['many-*'], folder);

  expect(texts).toEqual([]);
  expect(mistakes).toEqual([mistake('many-*', '501 files are more than 500.')]);
});

test('a file that is no text in UTF-8 is told with the line, or its encoding', ({ folder }) => {
  writeFileSync(join(folder, 'latin.json'), Buffer.from('{\n"description":"Größe"}', 'latin1'));
  writeFileSync(join(folder, 'shell.json'), Buffer.from('\uFEFF{}', 'utf16le'));

  const { texts, mistakes } = readDeclarationFiles(['latin.json', 'shell.json'], folder);

  expect(texts).toEqual([]);
  expect(mistakes).toEqual([
    mistake('latin.json', 'Line 2 is not UTF-8 text. Save it as UTF-8.'),
    mistake('shell.json', 'It is in UTF-16. Save it as UTF-8.'),
  ]);
});
