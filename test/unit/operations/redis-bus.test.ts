import { randomUUID } from 'node:crypto';
import { test as base, expect, onTestFinished } from 'vitest';
import { createRedisBus } from '../../../src/operations/redis-bus.ts';
import { connectRedis } from '../../../src/operations/redis-connections.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';

const test = hasRedis ? base : base.skip;

/** The members of one topic, each on a replica of its own. */
async function joinTopic(count: number) {
  const redis = await startTestRedis();
  onTestFinished(() => redis.kill());
  const log = { warn() {}, info() {} };
  const topic = randomUUID();
  const join = async () => {
    const connections = connectRedis({ url: redis.url, log });
    const errors: unknown[] = [];
    const bus = createRedisBus({ connections, onListenerError: (error) => errors.push(error) });
    onTestFinished(() => bus.close());
    if (connections.commands.status !== 'ready')
      await new Promise<void>((resolve) => connections.commands.once('ready', () => resolve()));
    const messages: string[] = [];
    const member = await bus.join(topic, (message) => {
      if (message === 'throw') throw new Error('a listener that throws');
      messages.push(message);
    });
    return { member, messages, errors };
  };
  return Promise.all(Array.from({ length: count }, join));
}

test('one member holds the lease, and keeps it by renewing', async () => {
  const [one, other] = await joinTopic(2);

  expect(await one?.member.acquireLease()).toBe(true);
  expect(await other?.member.acquireLease()).toBe(false);
  expect(await one?.member.acquireLease()).toBe(true);
});

test('a member that leaves releases the lease where it holds it, and no lease of another', async () => {
  const [holder, leaving, next] = await joinTopic(3);
  await holder?.member.acquireLease();
  await leaving?.member.acquireLease();

  leaving?.member.leave();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await next?.member.acquireLease()).toBe(false);

  holder?.member.leave();
  await expect.poll(() => next?.member.acquireLease()).toBe(true);
});

test('a member that missed the last message receives it with the lease it asks for', async () => {
  const [holder, other] = await joinTopic(2);
  await holder?.member.acquireLease();
  holder?.member.publish('the last');
  await expect.poll(() => other?.messages).toEqual(['the last']);

  await other?.member.acquireLease();
  expect(other?.messages).toEqual(['the last', 'the last']);
});

test('a retained message is replayed with the time that is left of it, until it has expired', async () => {
  const [one, other] = await joinTopic(2);
  one?.member.publishRetained('short', 100);
  one?.member.publishRetained('long', 60_000);
  await expect.poll(() => other?.messages).toEqual(['short 100', 'long 60000']);
  await new Promise((resolve) => setTimeout(resolve, 150));

  await other?.member.replayRetained();
  const [name, left] = other?.messages.at(-1)?.split(' ') ?? [];
  expect(other?.messages).toHaveLength(3);
  expect(name).toBe('long');
  expect(Number(left)).toBeGreaterThan(50_000);
  expect(Number(left)).toBeLessThan(60_000);
});

test('an error of a listener is reported, and the next message arrives', async () => {
  const [one, other] = await joinTopic(2);
  one?.member.publish('throw');
  one?.member.publish('after');

  await expect.poll(() => other?.messages).toEqual(['after']);
  expect(other?.errors).toEqual([new Error('a listener that throws')]);
});
