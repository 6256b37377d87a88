import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tableOf } from '../unit/document.ts';

const root = new URL('../../', import.meta.url);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');

const sources = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => textOf(`test/${file}`));

const literal = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/.source;
const titled = new RegExp(`(?:\\b(?:test|describe)(?:\\.\\w+)?\\(|\\)\\()\\s*(?:${literal})`, 'g');

/** The titles of all tests, as they are written. */
const titles = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(titled)].map(([, single, double, template]) =>
      (single ?? double ?? template ?? '').replaceAll("\\'", "'"),
    ),
  ),
);
/** The ids of the tests of the sandbox; one for each area stands for three. */
const ids = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/['"`]([A-Z]|\$\{area\})(\.\w+\.\d+)\b/g)].flatMap(([, area = '', rest = '']) =>
      area.length === 1 ? [area + rest] : ['A', 'B', 'C'].map((each) => each + rest),
    ),
  ),
);

/** The rows of the table that begins with this header, the first one below a heading where one is given. */
function rowsOf(page: string, header: string, heading?: string): string[][] {
  const lines = textOf(page).split('\n');
  const from = lines.indexOf(header, heading === undefined ? 0 : lines.indexOf(heading));
  if (from < 0) throw new Error(`${page} has no table ${header}`);
  const to = lines.findIndex((line, index) => index > from && !line.startsWith('|'));
  return lines.slice(from + 2, to).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const rows = '| # | what | bar | measured | test |';
const sides = '| the document | the layer | the sandbox | tests |';
const healthEvents = '## C. Health events';
const tables = [
  ['docs/upstream.md', sides, 70, '## A. Business records'],
  ['docs/errors.md', '| what a reader of records did or met | code | test |', 35],
  ['docs/errors.md', '| what a writer of records did or met | code | test |', 80],
  ['docs/security.md', '| sent | answer | test |', 20],
  ['docs/security.md', '| kept | by | test |', 20],
  ['docs/http.md', '| asked | answered | test |', 15],
  ['docs/reliability.md', rows, 25, '## Upstreams'],
  ['docs/reliability.md', rows, 18, '## Clients and load'],
  ['docs/upstream.md', sides, 45, '## B. Instance control'],
  ['docs/upstream.md', sides, 45, healthEvents],
] as const;

describe.each(tables)('the table of %s', (page, header, atLeast, heading?: string) => {
  const rows = rowsOf(page, header, heading);
  const width = header.split('|').length - 2;

  test('has no empty cell', () => {
    expect(rows.length).toBeGreaterThanOrEqual(atLeast);
    for (const row of rows) {
      expect(row).toHaveLength(width);
      expect(row).not.toContain('');
    }
  });

  test('names tests that exist', () => {
    for (const row of rows) {
      const cell = row.at(-1) ?? '';
      const named = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      expect(named.length > 0 || /^Not yet|\.\.\/bench\//.test(cell), cell).toBe(true);
      for (const name of named) expect(ids.has(name) || titles.has(name), name).toBe(true);
    }
  });

  test('links files that exist', () => {
    for (const [, target = ''] of rows
      .flat()
      .join()
      .matchAll(/\]\(([^)]+)\)/g)) {
      expect(existsSync(new URL(target, new URL(page, root))), target).toBe(true);
    }
  });
});

describe('the table of area A has', () => {
  const subjects = rowsOf('docs/upstream.md', tables[0][1]).map(([subject = '']) => subject);
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
    ['Headers:', '**Header.** `'],
    ['Query and body features', '**Query: '],
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
    expect(subjects.filter((subject) => subject.startsWith(`**${name}.**`))).toHaveLength(1);
  });
});

describe('the table of area C has', () => {
  const subjects = rowsOf('docs/upstream.md', sides, healthEvents).map(([subject = '']) => subject);
  const expectAll = (names: readonly string[], prefix: string) => {
    const own = `${subjects.filter((subject) => subject.startsWith(prefix)).join('\n')}\n`;
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !own.includes(name))).toEqual([]);
  };

  test.each([
    ['Top-level fields:', '**Fields'],
    ['Fields of `properties`:', '**Fields'],
    ['Impact item:', '**Fields, impact.**'],
    ['Region object:', '**Fields, region.**'],
    ['Link item:', '**Fields, link.**'],
  ])('every field below "%s"', (title, prefix) => {
    const names = tableOf(title).rows.flatMap(([cell = '']) => cell.split(', '));
    expectAll(
      names.map((name) => `\`${name}\``),
      prefix,
    );
  });

  test('every enumeration, parameter and rule of priority', () => {
    const enumerations = tableOf('Enumerations:').rows.map(([name = '']) => `**Enumeration.** ${name}\n`);
    expectAll(enumerations, '**Enumeration.**');
    expectAll(['`eventTrackingId`', '`api-version`'], '**Parameter.**');
    expectAll(['Service issues', 'Critical', 'Active'], '**Rule.**');
  });
});

test('errors.md has every code a caller can meet, and no other', () => {
  const [, union = ''] = /type ErrorCode =([\s\S]*?);\n[\s\S]*/.exec(textOf('src/errors.ts')) ?? [];
  const [, upstream = ''] = /type UpstreamErrorCode =([\s\S]*?);\n/.exec(textOf('src/errors.ts')) ?? [];
  const codes = [...(union + upstream).matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
  const listed = rowsOf('docs/errors.md', '| code | what happened | what to do |').map(([code = '']) =>
    code.replaceAll('`', ''),
  );

  expect(listed.sort()).toEqual(codes.sort());
  const [, ofUsers = ''] = /type UserErrorCode =([\s\S]*?);\n/.exec(textOf('src/graph/user-errors.ts')) ?? [];
  const userCodes = [...ofUsers.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
  const [, section = ''] = textOf('docs/errors.md').split('## Codes of `userErrors`');
  expect([...section.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, code]) => code).sort()).toEqual(
    userCodes.sort(),
  );
  const usedIn = (header: string) =>
    rowsOf('docs/errors.md', header).flatMap(([, code = '']) =>
      [...code.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name),
    );
  for (const code of usedIn(tables[1][1])) expect(codes).toContain(code);
  for (const code of usedIn(tables[2][1])) expect([...codes, ...userCodes]).toContain(code);
});
