import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((file) => folder + file);
const pages = [...filesIn('docs/'), ...readdirSync(root)].filter((file) => file.endsWith('.md'));

/** The names by which the headings of a page are linked. */
const anchorsOf = (page: string) =>
  [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test.each(pages)('%s links files and sections that exist', (page) => {
  const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const missing = links.filter(([, target = '', anchor]) => {
    const linked = target === '' ? page : new URL(target, new URL(page, root)).href.slice(root.href.length);
    if (!existsSync(new URL(linked, root))) return true;
    return anchor !== undefined && linked.endsWith('.md') && !anchorsOf(linked).includes(anchor);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

test('the code names pages that exist', () => {
  const named = filesIn('src/')
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => textOf(file).match(/\bdocs\/[\w/-]+\.md/g) ?? []);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((page) => !existsSync(new URL(page, root)))).toEqual([]);
});

test('docs/README.md lists every page', () => {
  const index = textOf('docs/README.md');
  const files = pages.flatMap((page) => /^docs\/([\w-]+\.md)$/.exec(page)?.slice(1) ?? []);
  expect(files.filter((file) => !index.includes(`| [${file}](${file}) |`))).toEqual(['README.md']);
});

test('errors.md has every code a caller can meet, and no other', () => {
  const codesOf = (type: string, file: string) => {
    const [, union = ''] = new RegExp(`type ${type} =([\\s\\S]*?);\\n`).exec(textOf(file)) ?? [];
    return [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
  };
  const listed = [...textOf('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);

  expect(listed.sort()).toEqual(
    [
      ...codesOf('ErrorCode', 'src/errors.ts'),
      ...codesOf('UpstreamErrorCode', 'src/errors.ts'),
      ...codesOf('UserErrorCode', 'src/graph/user-errors.ts'),
    ].sort(),
  );
});

test("every figure of README's comparison is one of performance.md", () => {
  const [, section = ''] = /^## Compared with.*\n([\s\S]*?)^## /m.exec(textOf('README.md')) ?? [];
  const figuresOf = (text: string) => new Set(text.match(/\d[\d.,]*(?<=\d)/g));
  const measured = figuresOf(textOf('docs/performance.md'));

  const figures = [...figuresOf(section)];
  expect(figures.length).toBeGreaterThan(0);
  expect(figures.filter((figure) => !measured.has(figure))).toEqual([]);
});
