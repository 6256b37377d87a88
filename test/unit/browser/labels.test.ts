import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  describeUpstream,
  firstText,
  formatEnum,
  formatMs,
  formatWord,
  retryDelayMs,
} from '../../../browser/console/labels.js';
import type { Upstream } from '../../../browser/console/types.js';

test('the retry delay doubles from 0.5 s to 30 s, with up to 25 % jitter', () => {
  expect([0, 1, 2, 5, 6, 7, 5_000].map((retries) => retryDelayMs(retries, 1))).toEqual([
    500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000,
  ]);
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (retries, random) => {
      const longest = retryDelayMs(retries, 1);
      expect(retryDelayMs(retries, random)).toBeGreaterThanOrEqual(longest * 0.75);
      expect(retryDelayMs(retries, random)).toBeLessThanOrEqual(longest);
    }),
  );
});

const healthy: Upstream = {
  name: 'HEALTH',
  isConfigured: true,
  breaker: { state: 'CLOSED', openUntil: null },
  pace: { inFlight: 1, maxInFlight: 5, waiting: 0, pausedUntil: null },
  lately: { count: 7, failures: 0, p50Ms: 5, p99Ms: 20 },
};
const pace = healthy.pace as NonNullable<Upstream['pace']>;

test.for<[string, Partial<Upstream>, string, string]>([
  ['has only successful calls', {}, 'Healthy', 'No recent failures.'],
  [
    'has no recent calls',
    { lately: { count: 0, failures: 0, p50Ms: null, p99Ms: null } },
    'Idle',
    'No recent calls.',
  ],
  ['has waiting calls', { pace: { ...pace, waiting: 3 } }, 'Busy', '3 of your calls are waiting.'],
  [
    'has failed calls',
    { lately: { count: 7, failures: 2, p50Ms: 5, p99Ms: 20 } },
    'Degraded',
    '2 of the last 7',
  ],
  [
    'has one failed call of many',
    { lately: { count: 25, failures: 1, p50Ms: 5, p99Ms: 20 } },
    'Healthy',
    '1 of the last 25 calls failed.',
  ],
  ['throttles', { pace: { ...pace, pausedUntil: '2026-01-01T00:00:00Z' } }, 'Degraded', 'Throttled'],
  [
    'has an open circuit breaker',
    { breaker: { state: 'OPEN', openUntil: '2026-01-01T00:00:00Z' } },
    'Degraded',
    'Circuit breaker open',
  ],
  [
    'has a half-open circuit breaker',
    { breaker: { state: 'HALF_OPEN', openUntil: null } },
    'Degraded',
    'half-open',
  ],
  [
    'has no URL',
    { isConfigured: false, breaker: null, pace: null, lately: null },
    'Not configured',
    'No URL',
  ],
])('describeUpstream: an upstream that %s', ([_what, change, word, why]) => {
  expect(describeUpstream({ ...healthy, ...change })).toMatchObject({
    word,
    why: expect.stringContaining(why),
  });
});

test.for([
  ['SERVICE_ISSUE', null, 'Service issue'],
  ['UNRECOGNIZED', 'Brand New', 'Brand New'],
  [null, 'Brand New', 'Brand New'],
  [null, null, ''],
] as const)('formatEnum: %s (%s upstream) becomes "%s"', ([word, raw, expected]) => {
  expect(formatEnum(word, raw)).toBe(expected);
});

test.for([
  ['SoftShutdown', 'Soft shutdown'],
  ['ACSSInstallationBlocked', 'Acss installation blocked'],
  ['kernelVersion', 'Kernel version'],
  [null, ''],
] as const)('formatWord: %s becomes "%s"', ([word, expected]) => {
  expect(formatWord(word)).toBe(expected);
});

test.for([
  [null, '–'],
  [2.94, '2.9 ms'],
  [31.7, '32 ms'],
  [12_340, '12.3 s'],
] as const)('formatMs: %s becomes %s', ([ms, expected]) => {
  expect(formatMs(ms)).toBe(expected);
});

test('firstText passes over what nobody can see', () => {
  expect(firstText(null, undefined, '', ' \u00a0\n', '\u200b\u202e\u2060', ' a', 'b')).toBe(' a');
  expect(firstText(' ')).toBe('');
});
