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

/** Single characters of an expression, and some of each class. */
const charactersOf = ({ source }: RegExp): readonly string[] => [
  ...new Set([...'aZ0_ \t\n\r"!\u0001\u001b', ...source.replaceAll('\\', '')]),
];

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

const msOf = (pattern: RegExp, text: string): number => {
  const start = performance.now();
  text.replace(pattern, '');
  return performance.now() - start;
};

test.for(literals.map(({ place, pattern }) => [place, pattern] as const))(
  '%s: %s takes no more than 250 ms for 100 KB of anything',
  ([, pattern]) => {
    const all = new RegExp(pattern.source, [...new Set(`${pattern.flags}g`)].join(''));
    const isSlow = (attack: Attack) =>
      msOf(all, attack(tenth)) >= suspiciousMs &&
      // A busy machine does not slow down all tries.
      [1, 2, 3, 4, 5].every(() => msOf(all, attack(longest)) >= allowedMs);

    const slow = [...attacksOn(pattern)].find(isSlow);

    expect(slow?.(40)).toBeUndefined();
  },
);
