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

test('a path names a file, and one with an asterisk all files of such a name, each once', ({ folder }) => {
  const { texts, mistakes } = readDeclarationFiles(
    ['./b.graphql', '*.graphql', join(folder, 'a.graphql')],
    folder,
  );

  expect(mistakes).toEqual([]);
  expect(texts.map(({ text }) => text)).toEqual(['b.graphql', 'a.graphql']);
});

test('files of a mounted ConfigMap are read, which are links by way of hidden folders', ({ folder }) => {
  const mount = join(folder, 'mount');
  mkdirSync(join(mount, '..2026_11_25'), { recursive: true });
  writeFileSync(join(mount, '..2026_11_25', 'vendors.graphql'), '{}');
  symlinkSync('..2026_11_25', join(mount, '..data'));
  symlinkSync('..data/vendors.graphql', join(mount, 'vendors.graphql'));

  const { texts, mistakes } = readDeclarationFiles(['mount/*'], folder);

  expect({ texts, mistakes }).toEqual({
    texts: [{ file: 'mount/vendors.graphql', text: '{}' }],
    mistakes: [],
  });
});

test('paths that lead to no readable file are told, all of them', ({ folder }) => {
  mkdirSync(join(folder, 'inner.graphql'));
  writeFileSync(join(folder, 'large.graphql'), '');
  truncateSync(join(folder, 'large.graphql'), 1_000_001);

  const { texts, mistakes } = readDeclarationFiles(
    [
      'missing.graphql',
      'none-*.graphql',
      'no-folder/*.graphql',
      '*/a.graphql',
      'inner.graphql',
      'large.graphql',
      'a.graphql',
    ],
    folder,
  );

  expect(texts.map(({ file }) => file)).toEqual(['a.graphql']);
  expect(mistakes).toEqual([
    mistake('none-*.graphql', 'No file has such a name.'),
    mistake('no-folder/*.graphql', 'It does not exist.'),
    mistake('*/a.graphql', 'not in that of a folder'),
    mistake('inner.graphql', 'No file has such a name.'),
    mistake('missing.graphql', 'It does not exist.'),
    mistake('large.graphql', '1000001 bytes are more than 1000000.'),
  ]);
});

test('more files than a graph can have are refused before any is read', ({ folder }) => {
  for (let number = 0; number <= 500; number++) writeFileSync(join(folder, `many-${number}.graphql`), '');

  const { texts, mistakes } = readDeclarationFiles(['many-*'], folder);

  expect(texts).toEqual([]);
  expect(mistakes).toEqual([mistake('many-*', '501 files are more than 500.')]);
});

test('a file that is no text in UTF-8 is told with the line, or its encoding', ({ folder }) => {
  writeFileSync(join(folder, 'latin.graphql'), Buffer.from('{\n"description":"Größe"}', 'latin1'));
  writeFileSync(join(folder, 'shell.graphql'), Buffer.from('\uFEFF{}', 'utf16le'));

  const { texts, mistakes } = readDeclarationFiles(['latin.graphql', 'shell.graphql'], folder);

  expect(texts).toEqual([]);
  expect(mistakes).toEqual([
    mistake('latin.graphql', 'Line 2 is not UTF-8 text. Save it as UTF-8.'),
    mistake('shell.graphql', 'It is in UTF-16. Save it as UTF-8.'),
  ]);
});
