import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';
import { addressOf, instanceCalls, instances } from './operations-caller.ts';

const sandbox = useSandbox({ stepMs: 40 });
const slow = useSandbox({ stepMs: 60_000 });
const { stop, follow } = instanceCalls(sandbox);

const stopped = async (name: string): Promise<Json[]> => follow(addressOf(await stop(name)));

/** What the status of an operation that has just begun says; its header. */
async function begun(name: string) {
  const reply = await instanceCalls(slow).stop(name);
  const poll = await slow.get(addressOf(reply));
  return { reply, poll };
}

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('status values', () => {
  test.each([
    ['B.word.1', 'canceled', 'Canceled'],
    ['B.word.2', 'cancelled', 'Cancelled'],
    ['B.word.3', 'lower-case', 'succeeded'],
    ['B.word.4', 'completed', 'Completed'],
    ['B.word.5', 'status-null', null],
    ['B.word.6', 'status-missing', undefined],
    ['B.word.7', 'status-number', 7],
  ])('%s The operation of %s ends with status %s and an end time', async (_id, name, status) => {
    const last = (await stopped(name)).at(-1);

    expect(last.status).toBe(status);
    expect(last.endTime).toMatch(iso);
  });

  test('B.word.8 A canceled operation may or may not give a reason', async () => {
    expect((await stopped('canceled')).at(-1).error.code).toBe('OperationPreempted');
    expect((await stopped('cancelled')).at(-1)).not.toHaveProperty('error');
  });

  test('B.word.9 A running operation can have undocumented values, with blanks', async () => {
    const { poll } = await begun('odd-words');
    const words = (await stopped('odd-words')).map(({ status }) => status);

    expect(poll.body.status).toBe('Preparing System Configuration');
    expect([
      'Preparing System Configuration',
      'validateInput',
      'Scaling',
      'CancelInProgress',
      'Active',
      'Succeeded',
    ]).toEqual(expect.arrayContaining(words));
  });

  test('B.word.10 An operation can run forever', async () => {
    const address = addressOf(await stop('endless'));
    const seen = await instanceCalls(sandbox).until(address, ({ body }) => body.percentComplete === 80);
    await new Promise((resolve) => setTimeout(resolve, 120));

    expect(seen.at(-1)?.body).toMatchObject({ status: 'InProgress' });
    expect((await sandbox.get(address)).body).toMatchObject({ status: 'InProgress', percentComplete: 80 });
  });
});

describe('status bodies', () => {
  test('B.body.1 error can always be null', async () => {
    for (const one of await stopped('error-null')) expect(one.error).toBeNull();
  });

  test('B.body.2 id and name can be those of the instance', async () => {
    expect((await stopped('self-named')).at(-1)).toMatchObject({
      id: `${instances}/self-named`,
      name: 'self-named',
    });
  });

  test.each([
    ['B.body.3', 'nested', 'Succeeded'],
    ['B.body.4', 'nested-failed', 'Failed'],
  ])('%s Operations of %s are nested five deep, with a status each', async (_id, name, status) => {
    let one = (await stopped(name)).at(-1);
    let depth = 0;
    for (; one.operations; depth += 1) {
      [one] = one.operations;
      expect(one.status).toBe(status);
    }

    expect(depth).toBe(5);
    if (status === 'Failed') expect(one.error.details[0].code).toBe('OperationTimedOut');
  });

  test('B.body.5 There can be undocumented fields', async () => {
    const { poll } = await begun('extended');

    expect(poll.body).toMatchObject({ resourceId: expect.any(String), retriable: true });
    expect(poll.body).not.toHaveProperty('properties');
    expect((await stopped('extended')).at(-1).properties).toMatchObject({ took: { seconds: 41.5 } });
  });

  test('B.body.6 There can be a status and nothing else', async () => {
    expect((await stopped('bare')).at(-1)).toEqual({ status: 'Succeeded' });
  });

  test('B.body.7 percentComplete can go backwards', async () => {
    const percents = (await stopped('backwards')).map(({ percentComplete }) => percentComplete);

    expect(percents.at(-1)).toBe(100);
    expect([0, 20, 40, 60, 100]).toEqual(expect.arrayContaining(percents));
  });

  test('B.body.8 percentComplete can be missing, out of range, a text or null', async () => {
    for (const one of await stopped('percentless')) expect(one).not.toHaveProperty('percentComplete');
    expect((await begun('percent-odd')).poll.body.percentComplete).toBe(-20);
    for (const { percentComplete } of await stopped('percent-odd'))
      expect([-20, 33.333333333333336, '60', null, 120, 100]).toContain(percentComplete);
  });

  test('B.body.9 percentComplete can be 1.0 at the end', async () => {
    const address = addressOf(await stop('percent-one'));
    await follow(address);

    expect((await sandbox.get(address)).text).toContain('"percentComplete":1.0,');
  });

  test.each([
    ['B.body.10', 'seven-digits', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}\+00:00$/],
    ['B.body.11', 'blank-times', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \+0000$/],
  ])('%s Times of %s have another form', async (_id, name, form) => {
    const { startTime, endTime } = (await stopped(name)).at(-1);

    expect(startTime).toMatch(form);
    expect(endTime).toMatch(form);
  });
});

describe('Retry-After', () => {
  test.each([
    ['B.retry.1', 'retry-none', null],
    ['B.retry.2', 'retry-0', '0'],
    ['B.retry.3', 'retry-10', '10'],
    ['B.retry.4', 'retry-huge', '99999999999'],
    ['B.retry.5', 'retry-negative', '-5'],
    ['B.retry.6', 'retry-word', 'soon'],
  ])('%s The Retry-After of %s is %s, with the 202 and while running', async (_id, name, value) => {
    const { reply, poll } = await begun(name);

    expect(reply.headers.get('retry-after')).toBe(value);
    expect(poll.headers.get('retry-after')).toBe(value);
  });

  test('B.retry.7 It can be a date', async () => {
    const { poll } = await begun('retry-date');
    const date = poll.headers.get('retry-after') ?? '';

    expect(date).toMatch(/ GMT$/);
    expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(10_000);
  });

  test('B.retry.8 An operation that has ended has no Retry-After', async () => {
    const address = addressOf(await stop('retry-10'));
    await follow(address);

    expect((await sandbox.get(address)).headers.has('retry-after')).toBe(false);
  });
});

describe('polls', () => {
  const statuses = async (name: string, count: number, token = 'clerk') => {
    const address = addressOf(await instanceCalls(slow).stop(name));
    const seen: number[] = [];
    for (let n = 0; n < count; n += 1) seen.push((await slow.get(address, { token })).status);
    return { address, seen };
  };

  test.each([
    ['B.poll.1', 'late', [404, 200, 200]],
    ['B.poll.2', 'forgotten', [200, 200, 404, 404]],
    ['B.poll.3', 'throttled-polls', [429, 429, 200]],
    ['B.poll.4', 'shaky', [200, 500, 200]],
    ['B.poll.5', 'emptied', [200, 200, 200]],
    ['B.poll.6', 'expiring', [200, 401, 401]],
  ])('%s Polls of %s are answered %j', async (_id, name, expected) => {
    expect((await statuses(name, expected.length)).seen).toEqual(expected);
  });

  test('B.poll.7 A renewed token of the same caller can continue where the first has expired', async () => {
    const { address, seen } = await statuses('expiring', 2);

    expect(seen).toEqual([200, 401]);
    expect((await slow.get(address)).body.error.code).toBe('ExpiredAuthenticationToken');
    expect((await slow.get(address, { token: 'clerk~2' })).status).toBe(200);
    expect((await slow.get(address, { token: 'clerks' })).status).toBe(403);
  });

  test('B.poll.8 A 404 has a message and no code', async () => {
    const { address } = await statuses('forgotten', 2);

    expect((await slow.get(address)).body).toEqual({ error: { message: expect.any(String), details: [] } });
  });
});
