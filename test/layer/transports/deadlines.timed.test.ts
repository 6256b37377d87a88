import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Answer, testToken } from '../../support/layer.ts';
import { company, startBeforeSilence, twoReads } from '../../support/upstreams/silent-upstream.ts';

const until = (isSo: () => boolean) => expect.poll(isSo, { timeout: 1_000, interval: 5 }).toBe(true);

test('the calls of a query are aborted within a second of the disconnection of its client', async () => {
  const { upstream, ask } = await startBeforeSilence();
  const { leave } = ask(twoReads);
  await until(() => upstream.open === 2);
  leave();

  await until(() => upstream.open === 0);
});

test('a query ends at its deadline, and no call continues for it', async () => {
  const { upstream, ask } = await startBeforeSilence({ REQUEST_TIMEOUT_MS: '400' });
  const startedAt = performance.now();
  const { data, errors } = (await ask(twoReads).answer) as Answer;

  expect(performance.now() - startedAt).toBeLessThan(400 + 250);
  expect(data.company).toMatchObject({ customers: null });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT']);
  await until(() => upstream.open === 0);
});

test('x-request-timeout shortens the deadline of a query, and never extends it', async () => {
  const { ask } = await startBeforeSilence({ REQUEST_TIMEOUT_MS: '500' });
  for (const [given, ms] of [
    ['100', 100],
    ['100000', 500],
  ] as const) {
    const startedAt = performance.now();
    const { errors } = (await ask(company, { 'x-request-timeout': given }).answer) as Answer;
    const took = performance.now() - startedAt;

    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_TIMEOUT');
    expect(took).toBeGreaterThan(ms - 5);
    expect(took).toBeLessThan(ms + 250);
  }
});

test('the deadline of a query counts from its first byte, however late the last one arrives', async () => {
  const { layer } = await startBeforeSilence();
  const asking = request(`${layer.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${testToken}`,
      'x-request-timeout': '1500',
    },
  });
  asking.write('{"query":');
  const startedAt = performance.now();
  await sleep(1_200);
  asking.end(`${JSON.stringify(company)}}`);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const { errors } = JSON.parse((await response.toArray()).join('')) as Answer;

  expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_TIMEOUT');
  expect(performance.now() - startedAt).toBeLessThan(1_500 + 250);
});
