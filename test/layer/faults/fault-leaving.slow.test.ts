import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type TestLayer, testToken } from '../../support/layer.ts';
import { methodsOf, requestsOf, testDisturbed } from '../../support/proxies/disturbed.ts';

const test = testDisturbed({ REQUEST_TIMEOUT_MS: '20000', WRITE_TIMEOUT_MS: '20000', ADMIN_PORT: '0' });

const listOf = (first: number) => `{ company { items(first: ${first}) { nodes { number } } } }`;

/** A request of somebody who may leave before it is answered. */
function leaving(layer: TestLayer, query: string, token = testToken) {
  const controller = new AbortController();
  const answered = fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
    signal: controller.signal,
  }).then(
    (response) => response.json(),
    () => 'gone',
  );
  return { answered, leave: () => controller.abort() };
}

test('a queued call is not sent for a caller that has disconnected', async ({
  disturbed,
  proxy,
  sandbox,
}) => {
  proxy.next({ latencyMs: 60_000, times: 20 });
  const asked = Array.from({ length: 20 }, (_, number) => leaving(disturbed, listOf(number + 1)));
  await expect.poll(() => requestsOf(proxy).length).toBe(5);
  const waiting = async () => (await disturbed.metrics()).of('tributary_upstream_calls_waiting');
  await expect.poll(waiting).toBe(15);

  for (const { leave } of asked) leave();
  await Promise.all(asked.map(({ answered }) => answered));
  proxy.calm();
  const { errors } = await disturbed.query(listOf(50));

  expect(errors).toBeUndefined();
  expect(await sandbox.calls()).toHaveLength(6);
});

test('a queued write is sent and settled although its caller has disconnected', async ({
  disturbed,
  proxy,
  sandbox,
}) => {
  proxy.next({ on: 'GET', latencyMs: 800, times: 5 });
  const reads = [1, 2, 3, 4, 5].map((first) => disturbed.query(listOf(first)));
  await expect.poll(() => requestsOf(proxy).length).toBe(5);
  proxy.next({ on: 'POST', resetAt: 0 });
  const asked = leaving(
    disturbed,
    'mutation { createCustomer(input: { displayName: "Left behind" }) { userErrors { code } } }',
  );
  await sleep(200);

  asked.leave();
  expect(await methodsOf(sandbox)).not.toContain('POST');
  await Promise.all(reads);

  await expect.poll(async () => (await methodsOf(sandbox)).slice(5)).toEqual(['POST', 'GET']);
});
