import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { readResource } from '../../src/changes/notifications.ts';
import { createDiscretion } from '../../src/upstream/discretion.ts';

interface Found {
  /** File and line. */
  readonly place: string;
  readonly pattern: RegExp;
}

/** Every regular expression that stands in the source, and the places where one is made of something else. */
function readSource() {
  const literals: Found[] = [];
  const made: string[] = [];
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  for (const file of files) {
    const source = ts.createSourceFile(
      file,
      readFileSync(`src/${file}`, 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, text = '', flags] = /^\/(.*)\/([a-z]*)$/s.exec(node.text) ?? [];
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        literals.push({ place: `${file}:${line + 1}`, pattern: new RegExp(text, flags) });
      }
      const callee = ts.isNewExpression(node) || ts.isCallExpression(node) ? node.expression.getText() : '';
      if (callee === 'RegExp') made.push(file);
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return { literals, made };
}

const { literals, made } = readSource();
const length = 100_000;

const classes: Readonly<Record<string, readonly string[]>> = {
  d: ['0', '9'],
  w: ['a', 'Z', '_', '0'],
  s: [' ', '\t', '\n'],
  p: ['a', '0', '\u0001', '\ud800'],
  D: ['a'],
  W: ['!', ' '],
  S: ['a', '!'],
  t: ['\t'],
  n: ['\n'],
  r: ['\r'],
};

/** Single characters that an expression speaks of. */
function charactersOf({ source }: RegExp): string[] {
  const characters = new Set(['a', '0', ' ', '"']);
  for (const [piece] of source.matchAll(/\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\.|[^\\]/gis)) {
    if (/^\\[xu]/.test(piece)) characters.add(String.fromCharCode(Number.parseInt(piece.slice(2), 16)));
    else for (const one of classes[piece.slice(1)] ?? [piece.at(-1) ?? '']) characters.add(one);
  }
  return [...characters];
}

/** Runs of plain text in an expression, which may have to come before what is repeated. */
const wordsOf = ({ source }: RegExp): string[] =>
  [...source.replaceAll(/\\(?=[^\w\s])/g, '').matchAll(/[\w:,;./"'= -]{2,}/g)].map(([word]) => word);

const fill = (text: string) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Long texts that match nearly, and then do not. */
function* attacksOn(pattern: RegExp): Generator<string> {
  const characters = charactersOf(pattern);
  const words = wordsOf(pattern);
  for (const end of ['', '\u0000', '!']) {
    for (const piece of [...characters, ...words]) yield fill(piece) + end;
    for (const word of words) for (const character of characters) yield word + fill(character) + end;
    for (const [index, character] of characters.entries()) {
      const next = characters[(index + 1) % characters.length] as string;
      yield fill(character + next) + end;
      yield next + fill(character) + end;
      yield fill(character).slice(length / 2) + fill(next).slice(length / 2) + end;
    }
  }
}

/** The longest that one text takes. */
function slowest(attacks: Iterable<string>, run: (text: string) => unknown): { ms: number; text: string } {
  let worst = { ms: 0, text: '' };
  for (const text of attacks) {
    const start = performance.now();
    run(text);
    const ms = performance.now() - start;
    if (ms > worst.ms)
      worst = { ms, text: `${JSON.stringify(text.slice(0, 20))}…${JSON.stringify(text.slice(-3))}` };
    if (ms > 1_000) break;
  }
  return worst;
}

test('the source is read: it has more than fifty regular expressions', () => {
  expect(literals.length).toBeGreaterThan(50);
});

test.for(literals.map(({ place, pattern }) => [place, pattern] as const))(
  '%s: %s takes no more than 250 ms for 100 KB of anything',
  { timeout: 60_000 },
  ([, pattern]) => {
    const all = new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}g`)].join(''));
    const worst = slowest(attacksOn(pattern), (text) => text.replace(all, ''));

    expect(worst.ms, worst.text).toBeLessThan(250);
  },
);

test('three more are made of something else, and nothing they are shown or made of makes them slow', () => {
  expect(made.filter((file) => !file.startsWith('sandbox/'))).toEqual([
    'changes/notifications.ts',
    'upstream/discretion.ts',
    'upstream/discretion.ts',
    'upstream/discretion.ts',
  ]);
  const [guid, like] = ['5d115c9c-44e3-ea11-bb43-000d3a2feca1', /a.b: 0\/?\(\)/];
  const resources = [
    fill(`/companies(${guid})/a`),
    fill(`/companies(${guid})/a(${guid})?x`),
    fill('companies('),
  ];
  const read = (text: string) => readResource(text, new Map());
  expect(slowest([...attacksOn(like), ...resources], read).ms).toBeLessThan(250);
  for (const token of ['a', '(a+)+$', 'a.*a.*a.*b', '\\', '[', 'aaaaaaaa', ' '.repeat(8)]) {
    const texts = [...attacksOn(like), fill('a.b.c.example:'), fill(token), fill('a.b.')];
    const discretion = createDiscretion('https://a.b.c.example:443', []);
    expect(slowest(texts, (text) => discretion(token)(text, 'message')).ms).toBeLessThan(250);
  }
});
