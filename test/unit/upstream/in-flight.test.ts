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

/** Seven ask for the same; how many of them have it after each of four turns of the event loop. */
async function givenInTurns(inFlight: ReturnType<typeof createInFlight>) {
  const waiting = { ...ann, deadline: startDeadline(10_000) };
  const given: number[] = [];
  const all = Array.from({ length: 7 }, (_, who) =>
    inFlight
      .share(waiting, 'a', async () => answer)
      .then(() => {
        given.push(who);
      }),
  );
  const counts: number[] = [];
  for (let turns = 0; turns < 4; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(given.length);
  }
  await Promise.all(all);
  waiting.deadline.end();
  expect(given).toEqual([0, 1, 2, 3, 4, 5, 6]);
  return counts;
}

test('those who have joined are given the answer two in a turn, so that nobody waits for the work of all', async () => {
  const inFlight = createInFlight();
  await new Promise((resolve) => setTimeout(resolve, 60));
  const counts = await givenInTurns(inFlight);

  expect(Math.max(...counts.map((count, at) => count - (counts[at - 1] ?? 1)))).toBe(2);
});

test('where there is no time left they are given it at once', async () => {
  const inFlight = createInFlight();
  const until = performance.now() + 60;
  while (performance.now() < until);

  expect((await givenInTurns(inFlight))[0]).toBe(7);
});
