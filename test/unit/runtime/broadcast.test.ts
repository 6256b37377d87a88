import { expect, test, vi } from 'vitest';
import { createBroadcast } from '../../../src/runtime/conflated-channel.ts';

test('gives the last value to whoever subscribes, and every change after it', async () => {
  const broadcast = createBroadcast<{ percent: number }>(() => {});
  broadcast.publish({ percent: 1 });
  broadcast.publish({ percent: 2 });
  const values = broadcast.subscribe();

  expect((await values.next()).value).toEqual({ percent: 2 });
  const next = values.next();
  broadcast.publish({ percent: 3 });
  expect((await next).value).toEqual({ percent: 3 });
  expect(broadcast.latest()).toEqual({ percent: 3 });
});

test('passes over a value that equals the last one', async () => {
  const broadcast = createBroadcast<{ percent: number }>(() => {});
  const values = broadcast.subscribe();
  broadcast.publish({ percent: 1 });
  await values.next();
  const next = values.next();
  broadcast.publish({ percent: 1 });
  broadcast.publish({ percent: 2 });

  expect((await next).value).toEqual({ percent: 2 });
});

test('ends for all, or fails for all', async () => {
  const ended = createBroadcast<number>(() => {});
  const failed = createBroadcast<number>(() => {});
  const [one, other] = [ended.subscribe(), failed.subscribe()];
  ended.end();
  failed.fail(new Error('no more'));

  expect(await one.next()).toEqual({ done: true, value: undefined });
  await expect(other.next()).rejects.toThrow('no more');
});

test('is unused when the last subscriber has left, and not because it has ended', async () => {
  const onUnused = vi.fn();
  const broadcast = createBroadcast<number>(onUnused);
  const [one, other, last] = [broadcast.subscribe(), broadcast.subscribe(), broadcast.subscribe()];
  await one.return?.();
  await other.return?.();
  expect(onUnused).not.toHaveBeenCalled();
  await last.return?.();
  expect(onUnused).toHaveBeenCalledTimes(1);

  const ended = createBroadcast<number>(onUnused);
  const values = ended.subscribe();
  ended.end();
  await values.return?.();
  expect(onUnused).toHaveBeenCalledTimes(1);
});
