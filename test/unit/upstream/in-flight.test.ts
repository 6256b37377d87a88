import { expect, test } from 'vitest';
import { forwarded } from '../../../src/upstream/access.ts';
import { startDeadline } from '../../../src/upstream/deadline.ts';
import { createInFlight } from '../../../src/upstream/in-flight.ts';

const ann = forwarded('business', 'token', 'ann');
const answer = { status: 200, headers: {}, body: null, discreet: (text: string) => text };

test('a read begun before a write ends without making the same read of after it look ended', async () => {
  const inFlight = createInFlight();
  let endOld = () => {};
  const old = inFlight.share(
    ann,
    'a',
    () =>
      new Promise((resolve) => {
        endOld = () => resolve(answer);
      }),
  );
  inFlight.detach();
  const begun: string[] = [];
  const read = () =>
    inFlight.share(ann, 'a', () => {
      begun.push('new');
      return new Promise(() => {});
    });
  void read();
  endOld();
  await old;
  await new Promise((resolve) => setImmediate(resolve));
  void read();
  expect(begun).toEqual(['new']);
});

test('those who have joined are given the answer two in a turn, so that nobody waits for the work of all', async () => {
  const inFlight = createInFlight();
  // Where there is no time left, all are given it at once.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const waiting = { ...ann, deadline: startDeadline(10_000) };
  const given: number[] = [];
  const all = Array.from({ length: 7 }, (_, who) =>
    inFlight
      .share(waiting, 'a', async () => answer)
      .then(() => {
        given.push(who);
      }),
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const seen: number[] = [];
  for (let turns = 0; turns < 4; turns++) {
    await turn();
    seen.push(given.length);
  }
  await Promise.all(all);
  waiting.deadline.end();

  expect(given).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(Math.max(...seen.map((count, at) => count - (seen[at - 1] ?? 1)))).toBe(2);
});
