import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type TestLayer, testWith } from '../../support/layer.ts';
import { progress, stopInstance } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ stepMs: 1_000 }, { OPERATION_POLL_MS: '400' });

/** How often the status is asked for within a while of the first look. */
async function looksWithin(ms: number, id: string, layer: TestLayer, sandbox: TestSandbox): Promise<number> {
  await sandbox.forgetCalls();
  const watching = layer.watch(progress, { id })[Symbol.asyncIterator]();
  const next = watching.next();
  await expect.poll(async () => (await sandbox.calls()).length).toBeGreaterThan(0);
  await sleep(ms);
  const { length } = await sandbox.calls();
  await watching.return?.();
  await next;
  return length;
}

test.for(['retry-10', 'retry-huge', 'retry-date'])(
  'an upstream is not polled before its Retry-After: %s',
  async (name, { layer, sandbox }) => {
    const { operation } = await stopInstance(layer, name);

    expect(await looksWithin(700, operation.id, layer, sandbox)).toBe(1);
  },
);

test.for(['retry-none', 'retry-0', 'retry-negative', 'retry-word', 'throttled-polls', 'shaky', 'late'])(
  'where an upstream sends no Retry-After the poll pauses for its own interval: %s',
  async (name, { layer, sandbox }) => {
    const { operation } = await stopInstance(layer, name);

    const looks = await looksWithin(500, operation.id, layer, sandbox);

    // At 0 and 400 ms; the next would be at 1,000.
    expect(looks).toBeGreaterThanOrEqual(1);
    expect(looks).toBeLessThanOrEqual(2);
  },
);

test('a Retry-After of one second is waited for, and no longer', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'app01');

  const looks = await looksWithin(2_300, operation.id, layer, sandbox);

  expect(looks).toBeGreaterThanOrEqual(2);
  expect(looks).toBeLessThanOrEqual(3);
});
