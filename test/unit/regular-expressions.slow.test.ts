import { readdirSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'rolldown/utils';
import { expect, test } from 'vitest';

interface Found {
  /** File and line. */
  readonly place: string;
  readonly pattern: RegExp;
}

/** Every regular expression that stands in the source. */
function readSource() {
  const literals: Found[] = [];
  const files = ['src', 'sandbox'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
      .map((file) => `${folder}/${file}`),
  );
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    new Visitor({
      Literal(node) {
        if (!('regex' in node)) return;
        const line = source.slice(0, node.start).split('\n').length;
        literals.push({
          place: `${file}:${line}`,
          pattern: new RegExp(node.regex.pattern, node.regex.flags),
        });
      },
    }).visit(parseSync(file, source).program);
  }
  return literals;
}

const literals = readSource();

const longest = 100_000;
const allowedMs = 250;
// What takes time by the square of the length takes a hundred times as long with ten times the length, and what is
// worse than that does not come back within a second. Whatever is faster than this at a tenth needs no second look.
const tenth = longest / 10;
const suspiciousMs = allowedMs / 100;

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

const fill = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** A text of any length. */
type Attack = (length: number) => string;

/** Long texts that match nearly, and then do not. */
function* attacksOn(pattern: RegExp): Generator<Attack> {
  const characters = charactersOf(pattern);
  const words = wordsOf(pattern);
  for (const end of ['', '\u0000', '!']) {
    for (const piece of [...characters, ...words]) yield (length) => fill(piece, length) + end;
    for (const word of words)
      for (const character of characters) yield (length) => word + fill(character, length) + end;
    for (const [index, character] of characters.entries()) {
      const next = characters[(index + 1) % characters.length] as string;
      yield (length) => fill(character + next, length) + end;
      yield (length) => next + fill(character, length) + end;
      yield (length) => fill(character, length / 2) + fill(next, length / 2) + end;
    }
  }
}

function msOf(run: (text: string) => unknown, text: string): number {
  const start = performance.now();
  run(text);
  return performance.now() - start;
}

/** The texts of 100 KB that take too long, however often they are tried: a busy machine does not slow down all tries. */
function slowTexts(attacks: Iterable<Attack>, run: (text: string) => unknown): string[] {
  const slow: string[] = [];
  for (const attack of attacks) {
    if (msOf(run, attack(tenth)) < suspiciousMs) continue;
    const text = attack(longest);
    if ([1, 2, 3, 4, 5].some(() => msOf(run, text) < allowedMs)) continue;
    slow.push(`${JSON.stringify(text.slice(0, 20))}…${JSON.stringify(text.slice(-3))}`);
    break;
  }
  return slow;
}

test.for(literals.map(({ place, pattern }) => [place, pattern] as const))(
  '%s: %s takes no more than 250 ms for 100 KB of anything',
  ([, pattern]) => {
    const all = new RegExp(pattern.source, [...new Set(`${pattern.flags.replace('y', '')}g`)].join(''));

    expect(slowTexts(attacksOn(pattern), (text) => text.replace(all, ''))).toEqual([]);
  },
);
