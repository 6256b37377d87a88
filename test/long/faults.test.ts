import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed.ts';
import { createRandom } from '../../sandbox/seeded.ts';
import { environment } from '../support/environment.ts';
import { requestsOf } from '../support/proxies/disturbed.ts';
import { startFaultProxy } from '../support/proxies/fault-proxy.ts';
import type { Toxic } from '../support/proxies/toxics.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { createMixture } from './mixture.ts';
import { type Standing, startOwnProcess } from './own-process.ts';

const { SOAK_SECONDS, SOAK_WORKERS } = environment();
const seconds = Number(SOAK_SECONDS ?? 6);
const workers = Number(SOAK_WORKERS ?? 24);

/** Each of them happens to one request of a hundred. */
const toxics: readonly Toxic[] = [
  { connection: 'reset' },
  { unheard: true },
  { kept: true, unheard: true },
  { resetAt: 0 },
  { resetAt: 300 },
  { cutAt: 120 },
  { cutAt: 'end' },
  { latencyMs: 5_000 },
  { pieces: { bytes: 40, everyMs: 100 } },
  { rewrite: (whole) => Buffer.concat([whole, whole]) },
];
const page = { 'content-type': 'text/html' };
const faults: readonly Readonly<Record<string, unknown>>[] = [
  { status: 429, headers: { 'retry-after': '1' }, body: {} },
  { status: 429, body: {} },
  { status: 500, body: {} },
  { status: 502, headers: page, body: '<html>Bad Gateway</html>' },
  { status: 503, headers: { 'retry-after': '1' }, body: {} },
  { status: 504 },
  { status: 307, headers: { location: 'http://127.0.0.1:9/' } },
  { status: 200, headers: page, body: '<html>Hello</html>' },
  { status: 200, body: '{"value":[{' },
  { bytes: 3_000_000 },
];

/** By how much a figure rises in a minute, as a straight line through all of them has it. */
function slopeOf(points: readonly (readonly [minutes: number, value: number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [middle, level] = [mean(0), mean(1)];
  const [over, under] = points.reduce(
    ([a, b], [minutes, value]) => [a + (minutes - middle) * (value - level), b + (minutes - middle) ** 2],
    [0, 0],
  );
  return over / under;
}

test('whatever goes wrong, and however long, a layer keeps nothing of it', {
  timeout: seconds * 1_000 + 60_000,
}, async () => {
  const sandbox = await startTestSandbox();
  const proxy = await startFaultProxy(sandbox.url);
  const layer = await startOwnProcess({
    PORT: '0',
    ADMIN_PORT: '0',
    MAX_REQUESTS_PER_CALLER: '100000',
    BUSINESS_URL: proxy.url,
    MANAGEMENT_URL: proxy.url,
    BUSINESS_COMPANY_ID: sandboxCompanyId,
    OPERATION_SECRETS: 'a secret of the test',
    OPERATION_POLL_MS: '100',
    POLL_RECORDS_MS: '300',
    POLL_HEALTH_MS: '300',
    REQUEST_TIMEOUT_MS: '2000',
    WRITE_TIMEOUT_MS: '2000',
    MAX_RESPONSE_BYTES: '2000000',
    LOG_LEVEL: 'error',
  });
  const random = createRandom(1);
  const mixture = createMixture(layer.url);
  await mixture.work(random, Date.now() + 500);
  /** Once nothing is asked and nothing answers: kept connections are let go of after some seconds. */
  const quiet = async (): Promise<Standing> => {
    mixture.close();
    proxy.down();
    for (let tries = 0; tries < 20; tries += 1) {
      await sleep(500);
      const standing = await layer.standing();
      if (standing.sockets === 0) return standing;
    }
    return layer.standing();
  };
  const before = await quiet();
  await proxy.up();

  const [startedAt, until] = [Date.now(), Date.now() + seconds * 1_000];
  const heap: (readonly [number, number])[] = [];
  const disturbing = async () => {
    for (let seen = requestsOf(proxy).length; Date.now() < until; await sleep(50)) {
      const came = requestsOf(proxy).length - seen;
      seen += came;
      if (came === 0) continue;
      const isMet = () => random.oneIn(Math.max(1, 100 / came));
      for (const toxic of toxics) if (isMet()) proxy.next(toxic);
      for (const fault of faults) if (isMet()) await sandbox.fault(fault);
    }
  };
  const measuring = async () => {
    while (Date.now() < until) {
      await sleep(Math.min(5_000, seconds * 200));
      heap.push([(Date.now() - startedAt) / 60_000, (await layer.standing()).heapBytes / 2 ** 20]);
      await sandbox.forgetCalls();
    }
  };
  const working = Array.from({ length: workers }, (_, worker) =>
    mixture.work(createRandom(worker + 2), until),
  );
  await Promise.all([disturbing(), measuring(), ...working]);
  proxy.calm();
  const after = await quiet();
  const { code, stderr } = await layer.stop();
  await sandbox.stop();

  const warm = heap.slice(Math.floor(heap.length / 3));
  const done = [...mixture.tally.values()].reduce((sum, count) => sum + count, 0);
  const share = (mixture.tally.get('answered') ?? 0) / done;
  process.stdout.write(
    `${JSON.stringify({ seconds, done, slope: slopeOf(warm), before, after, tally: [...mixture.tally] })}\n`,
  );
  expect(after).toMatchObject({ rejections: 0, warnings: [] });
  expect([code, stderr]).toEqual([0, '']);
  expect(mixture.tally.get('INTERNAL_SERVER_ERROR')).toBeUndefined();
  expect(share).toBeGreaterThan(0.5);
  for (const figure of ['descriptors', 'sockets', 'timers'] as const)
    expect(Math.abs(after[figure] - before[figure]), figure).toBeLessThanOrEqual(5);
  if (seconds >= 300) expect(slopeOf(warm)).toBeLessThan(1);
});
