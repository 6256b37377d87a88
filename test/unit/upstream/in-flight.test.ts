import { expect, test } from 'vitest';
import { forwarded } from '../../../src/upstream/access.ts';
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
