import { expect, test } from 'vitest';
import { createSharedReads } from '../../../../src/business/reading/reads.ts';
import { createForwardedAccess } from '../../../../src/http/auth/access.ts';
import { startDeadline } from '../../../../src/runtime/deadline.ts';

const ann = createForwardedAccess('business', 'token', { principal: 'ann' });
const response = { status: 200, headers: {}, body: null, bytes: null, redact: (text: string) => text };

test('the end of a read that was detached leaves the same read of a later request joinable', async () => {
  const reads = createSharedReads();
  let endOld = () => {};
  const old = reads.share(
    ann,
    'a',
    null,
    () =>
      new Promise((resolve) => {
        endOld = () => resolve(response);
      }),
  );
  reads.detach();
  const started: string[] = [];
  const read = () =>
    reads.share(ann, 'a', null, () => {
      started.push('new');
      return new Promise(() => {});
    });
  void read();
  endOld();
  await old;
  await new Promise((resolve) => setImmediate(resolve));
  void read();
  expect(started).toEqual(['new']);
});

test('the last waiter to leave ends the read, and a read that has ended is not joined', async () => {
  const reads = createSharedReads();
  const deadlines = [startDeadline(10_000), startDeadline(10_000)];
  const aborted: string[] = [];
  const shared = deadlines.map((deadline) =>
    reads.share(ann, 'a', deadline, (until) => {
      until.onExpire(() => aborted.push('first'));
      return new Promise(() => {});
    }),
  );
  const results = Promise.allSettled(shared);
  deadlines[0]?.end();
  expect(aborted).toEqual([]);
  deadlines[1]?.end();
  expect(aborted).toEqual(['first']);
  await expect(reads.share(ann, 'a', null, async () => response)).resolves.toBe(response);
  expect((await results).map((result) => result.status === 'rejected' && result.reason.code)).toEqual([
    'UPSTREAM_TIMEOUT',
    'UPSTREAM_TIMEOUT',
  ]);
});

test('reads of different principals are never shared', async () => {
  const reads = createSharedReads();
  const eve = createForwardedAccess('business', 'token', { principal: 'eve' });
  const started: string[] = [];
  for (const [name, access] of [
    ['ann', ann],
    ['eve', eve],
    ['ann again', ann],
  ] as const)
    void reads.share(access, 'a', null, () => {
      started.push(name);
      return new Promise(() => {});
    });

  expect(started).toEqual(['ann', 'eve']);
});
