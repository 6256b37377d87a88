import { expect, onTestFinished, test } from 'vitest';
import { UpstreamError } from '../../src/errors.ts';
import { forwarded } from '../../src/upstream/access.ts';
import { createUpstream, type UpstreamOptions } from '../../src/upstream/upstream.ts';
import { type StubAnswer, startStub } from '../support/stub.ts';

/** Calls to an upstream that answers as `answers` say, one after another, and well when there are none left. */
async function calling(answers: StubAnswer[], more: Partial<UpstreamOptions> = {}) {
  const at: number[] = [];
  const stub = await startStub(() => {
    at.push(performance.now());
    return answers.shift() ?? { body: {} };
  });
  const { client } = createUpstream({
    upstream: 'business',
    url: stub.url,
    attempts: 3,
    readTimeoutMs: 5_000,
    writeTimeoutMs: 5_000,
    maxResponseBytes: 1_000_000,
    connections: 8,
    callsOfCaller: 8,
    waitingOfCaller: 1_000,
    hasBreaker: false,
    secrets: [],
    onThrottled() {},
    onOutage() {},
    random: () => 0,
    ...more,
  });
  onTestFinished(async () => {
    await client.close();
    stub.stop();
  });
  const ann = forwarded('business', 'ann', 'ann');
  const read = (access = ann) => client.send({ method: 'GET', path: '/a', access });
  const write = () => client.send({ method: 'PATCH', path: '/a', access: ann, kind: 'write', body: '{}' });
  return { at, ann, read, write };
}

test('retries that there is no time for leave the others theirs', async () => {
  const busy = { status: 503, headers: { 'retry-after': '60' }, body: {} };
  const { at, read } = await calling([...Array(150).fill(busy), { status: 500, body: {} }]);
  for (let times = 0; times < 150; times++) await expect(read()).rejects.toThrow(UpstreamError);

  await read();
  expect(at).toHaveLength(152);
});

test('who waits for a token that does not come is told in time, and its place is free', async () => {
  const { at, ann, read } = await calling([], { readTimeoutMs: 200, callsOfCaller: 1 });
  const never = { ...ann, token: () => new Promise<string>(() => {}) };

  await expect(read(never)).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT', fate: 'unsent' });
  await read();
  expect(at).toHaveLength(1);
});

test('a write that had to wait for longer than an attempt may take is made, in the time of its own', async () => {
  const { at, write } = await calling([{ status: 429, headers: { 'retry-after': '1' }, body: {} }], {
    writeTimeoutMs: 300,
  });

  await write();
  expect(at).toHaveLength(2);
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
});
