import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { convertText } from '../../../../src/graph/texts/text-format.ts';

/** The longest time for which work keeps the event loop, the least of several: another process may take as long. */
async function longestBlockMs(work: () => Promise<unknown> | unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && least > allowedMs; attempt++) {
    let isDone = false;
    let before = performance.now();
    const done = Promise.resolve(work()).then(() => {
      isDone = true;
    });
    let longest = 0;
    do {
      longest = Math.max(longest, performance.now() - before);
      before = performance.now();
      await nextTurn();
    } while (!isDone);
    await done;
    least = Math.min(least, Math.max(longest, performance.now() - before));
  }
  return least;
}

const allowedMs = 200;
const million = 1_000_000;
const fill = (piece: string) => piece.repeat(Math.ceil(million / piece.length));

describe('a megabyte', () => {
  test.for([
    ['<div>', fill('<div>')],
    ['<', fill('<')],
    ['< behind markup', `<b>${fill('<')}`],
    ['&', fill('&')],
    ['& behind markup', `<b>${fill('&')}`],
    ['&lt;', fill('&lt;')],
    ['<b> and other ends', fill('<div>').slice(0, million / 2) + fill('</p></x>').slice(0, million / 2)],
    ['<b><i>', fill('<b><i>')],
    ['<a href="', fill('<a href="')],
    ['one value', `<a href="${fill('a')}">x</a>`],
    ['attributes', `<a ${fill('href=x ')}>x</a>`],
    ['<!--', fill('<!--')],
    ['<svg>', fill('<svg>')],
    ['</script', fill('</script')],
    ['blanks', `<b>${fill(' ')}`],
    ['one word', `<b>${fill('a')}`],
    ['list items', fill('<li>One ')],
    ['paragraphs, eight times', fill('<p>One &amp; <b>two</b></p>').repeat(8)],
  ] as const)('of %s blocks the event loop for less than 200 ms at a time', async ([, text]) => {
    for (const format of ['HTML', 'TEXT'] as const)
      expect(await longestBlockMs(() => convertText(text, format, 'a caller'))).toBeLessThan(allowedMs);
  });

  test('in many short texts blocks it no longer', async () => {
    const text = fill('<p>One &amp; ').slice(0, 8_000);
    const convertAll = () =>
      Promise.all(Array.from({ length: 250 }, () => convertText(text, 'HTML', 'a caller')));

    expect(await longestBlockMs(convertAll)).toBeLessThan(allowedMs);
  });
});
