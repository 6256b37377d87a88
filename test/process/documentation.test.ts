import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tableOf } from '../unit/schema/document.ts';

const root = new URL('../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');

const sources = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => textOf(`test/${file}`));

/** The ids of the tests of the sandbox; one for each area stands for three. */
const ids = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/['"`]([A-Z]|\$\{area\})(\.\w+\.\d+)\b/g)].flatMap(([, area = '', rest = '']) =>
      area.length === 1 ? [area + rest] : ['A', 'B', 'C'].map((each) => each + rest),
    ),
  ),
);

/** The tables of a section (`## …`) of a page, each with its header. */
function tablesIn(page: string, section: string): { header: string[]; rows: string[][] }[] {
  const [, text] = `\n${textOf(page)}`.split(`\n## ${section}\n`);
  if (text === undefined) throw new Error(`${page} has no section ${section}`);
  const [own = ''] = text.split('\n## ');
  return [...own.matchAll(/(?:^\|.*\|$\n?)+/gm)].map(([table]) => {
    const [header = [], , ...rows] = table
      .trim()
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    return { header, rows };
  });
}

/** The tables of a section whose last column says which test shows each row. */
const testedTablesIn = (page: string, section: string) =>
  tablesIn(page, section).filter(({ header }) => /^tests?$/.test(header.at(-1) ?? ''));
const subjectsIn = (page: string, section: string) =>
  testedTablesIn(page, section).flatMap(({ rows }) => rows.map(([subject = '']) => subject));

const tested = [
  ['docs/upstream.md', 'A. Business Records', 70],
  ['docs/upstream.md', 'B. Instance Control', 45],
  ['docs/upstream.md', 'C. Health Events', 45],
  ['docs/errors.md', 'Reading records', 35],
  ['docs/errors.md', 'Writing records', 80],
  ['docs/security.md', 'Hostile requests that are tested', 20],
  ['docs/security.md', 'Guarantees and their tests', 20],
  ['docs/http.md', 'Requests and statuses', 15],
  ['docs/http.md', 'Request headers', 4],
  ['docs/reliability.md', 'Upstreams', 25],
  ['docs/reliability.md', 'Clients and load', 18],
] as const;

describe.each(tested)('the tables of %s, %s', (page, section, atLeast) => {
  const tables = testedTablesIn(page, section);
  const rows = tables.flatMap((table) => table.rows);

  test('have no empty cell', () => {
    expect(rows.length).toBeGreaterThanOrEqual(atLeast);
    for (const table of tables) {
      for (const row of table.rows) {
        expect(row, row[0]).toHaveLength(table.header.length);
        expect(row).not.toContain('');
      }
    }
  });

  test('link a test, or name one of the sandbox, in every row', () => {
    for (const row of rows) {
      const cell = row.at(-1) ?? '';
      const named = [...cell.matchAll(/`([A-Z]\.\w+\.\d+)`/g)].map(([, id = '']) => id);
      const shown = named.length > 0 || /\]\(\.\.\/(test|bench)\//.test(cell);
      expect(shown || cell.startsWith('Not yet'), cell).toBe(true);
      for (const id of named) expect(ids, id).toContain(id);
    }
  });
});

const pages = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => `docs/${file}`)
  .concat(readdirSync(root).filter((file) => file.endsWith('.md')));

const isThere = (page: string, target: string) => existsSync(new URL(target, new URL(page, root)));

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
    if (!isThere(page, target)) return true;
    return anchor !== undefined && linked.endsWith('.md') && !anchorsOf(linked).includes(anchor);
  });
  expect(missing.map(([link]) => link)).toEqual([]);
});

describe('the tables of area A have', () => {
  const subjects = subjectsIn('docs/upstream.md', 'A. Business Records');
  const firstCellsOf = (title: string) => tableOf(title).rows.map(([cell = '']) => cell);

  test('every path', () => {
    const paths = tableOf('A. Business records API').rows.filter(([, path]) => path?.startsWith('`/'));
    expect(paths).toHaveLength(5);
    for (const [method, path = ''] of paths) {
      const call = `${method} ${path.replaceAll('`', '')}`;
      expect(
        subjects.some((subject) => subject.includes(call)),
        call,
      ).toBe(true);
    }
  });

  test.each([
    ['Headers:', '`'],
    ['Query and body features', ''],
  ])('everything below "%s"', (title, prefix) => {
    for (const name of firstCellsOf(title)) {
      expect(
        subjects.some((subject) => subject.startsWith(prefix + name)),
        name,
      ).toBe(true);
    }
  });

  test.each([
    'Update rule 1',
    'Update rule 2',
    'Update rule 3',
    'Rule 1',
    'Rule 2',
    'Fields A1',
    'Fields A5',
  ])('%s', (name) => {
    expect(subjects.filter((subject) => new RegExp(`^${name}\\b`).test(subject))).toHaveLength(1);
  });
});

describe('the tables of area C have', () => {
  const subjects = subjectsIn('docs/upstream.md', 'C. Health Events');
  const expectAll = (names: readonly string[], prefix: string) => {
    const own = `${subjects.filter((subject) => subject.startsWith(prefix)).join('\n')}\n`;
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !own.includes(name))).toEqual([]);
  };

  test.each([
    ['Top-level fields:', 'Fields'],
    ['Fields of `properties`:', 'Fields'],
    ['Impact item:', 'Fields, impact: '],
    ['Region object:', 'Fields, region: '],
    ['Link item:', 'Fields, link: '],
  ])('every field below "%s"', (title, prefix) => {
    const names = tableOf(title).rows.flatMap(([cell = '']) => cell.split(', '));
    expectAll(
      names.map((name) => `\`${name}\``),
      prefix,
    );
  });

  test('every enumeration, parameter and rule of priority', () => {
    const enumerations = tableOf('Enumerations:').rows.map(([name = '']) => name);
    expect(enumerations.filter((name) => !subjects.includes(name))).toEqual([]);
    expectAll(['`eventTrackingId`', '`api-version`'], 'Parameter ');
    expectAll(['Service issues', 'Critical', 'Active'], 'Rule: ');
  });
});

test('errors.md has every code a caller can meet, and no other', () => {
  const page = 'docs/errors.md';
  const source = textOf('src/errors.ts');
  const [, union = ''] = /type ErrorCode =([\s\S]*?);\n/.exec(source) ?? [];
  const [, upstream = ''] = /type UpstreamErrorCode =([\s\S]*?);\n/.exec(source) ?? [];
  const [, user = ''] = /type UserErrorCode =([\s\S]*?);\n/.exec(textOf('src/graph/user-errors.ts')) ?? [];
  const codesOf = (type: string) => [...type.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
  const listedIn = (section: string) =>
    tablesIn(page, section)[0]?.rows.map(([code = '']) => code.replaceAll('`', ''));
  const usedIn = (section: string) =>
    testedTablesIn(page, section)
      .flatMap((table) => table.rows)
      .flatMap(([, code = '']) => [...code.matchAll(/`([A-Z_]+)`/g)])
      .map(([, name = '']) => name);
  const codes = codesOf(union + upstream);
  const userCodes = codesOf(user);

  expect(listedIn('Codes of GraphQL errors')?.sort()).toEqual(codes.sort());
  expect(listedIn('Codes of `userErrors`')?.sort()).toEqual(userCodes.sort());
  for (const code of usedIn('Reading records')) expect([...codes, ...userCodes]).toContain(code);
  for (const code of usedIn('Writing records')) expect([...codes, ...userCodes]).toContain(code);
});
