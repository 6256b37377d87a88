import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Upstream } from '../../../browser/console/documents.js';
import { handleIn, msText, retryPauseMs, standingOf, wordOf } from '../../../browser/console/words.js';

const handle = 'eyJhbGciOiJkaXIi..wzEFNjkZ.1FvGs7b-BlC_C.Sp28uB';

test.for([
  ['a handle', handle, handle],
  ['a handle with blanks around it', `  ${handle}\n`, handle],
  ['an address that shares it', `https://graph.example/console#operation=${handle}`, handle],
  ['what follows `#`', `#operation=${handle}`, handle],
  ['nothing', '', null],
  ['a word', 'app01', null],
  ['an address of something else', 'https://graph.example/console#operation=app01', null],
  ['a handle that is cut', handle.slice(0, 30), null],
  ['markup', `<b>${handle}</b>`, null],
] as const)('in %s there is the handle, or none', ([_what, text, expected]) => {
  expect(handleIn(text)).toBe(expected);
});

test('the pause doubles from half a second to half a minute, and a quarter of it at most is chance', () => {
  expect([0, 1, 2, 5, 6, 7, 5_000].map((retries) => retryPauseMs(retries, 1))).toEqual([
    500, 1_000, 2_000, 16_000, 30_000, 30_000, 30_000,
  ]);
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (retries, random) => {
      const longest = retryPauseMs(retries, 1);
      expect(retryPauseMs(retries, random)).toBeGreaterThanOrEqual(longest * 0.75);
      expect(retryPauseMs(retries, random)).toBeLessThanOrEqual(longest);
    }),
  );
});

const well: Upstream = {
  name: 'HEALTH',
  isConfigured: true,
  breaker: { state: 'CLOSED', openUntil: null },
  pace: { inFlight: 1, maxInFlight: 5, waiting: 0, maxWaiting: 1000, pausedUntil: null },
  lately: { count: 7, failures: 0, p50Ms: 5, p99Ms: 20 },
};
const pace = well.pace as NonNullable<Upstream['pace']>;

test.for<[string, Partial<Upstream>, string, string]>([
  ['serves', {}, 'well', 'No call failed lately.'],
  ['was not asked', { lately: { count: 0, failures: 0, p50Ms: null, p99Ms: null } }, 'well', 'Nobody'],
  ['has callers waiting', { pace: { ...pace, waiting: 3 } }, 'well', 'wait for their turn'],
  [
    'failed sometimes',
    { lately: { count: 7, failures: 2, p50Ms: 5, p99Ms: 20 } },
    'trouble',
    '2 of the last 7',
  ],
  ['throttles', { pace: { ...pace, pausedUntil: '2026-01-01T00:00:00Z' } }, 'trouble', 'throttles you'],
  [
    'fails too often',
    { breaker: { state: 'OPEN', openUntil: '2026-01-01T00:00:00Z' } },
    'trouble',
    'are not made',
  ],
  ['is tried again', { breaker: { state: 'HALF_OPEN', openUntil: null } }, 'trouble', 'the next call'],
  [
    'has no address',
    { isConfigured: false, breaker: null, pace: null, lately: null },
    'absent',
    'no address',
  ],
])('an upstream that %s says so', ([_what, now, standing, why]) => {
  expect(standingOf({ ...well, ...now })).toMatchObject({ standing, why: expect.stringContaining(why) });
});

test.for([
  ['SERVICE_ISSUE', null, 'Service issue'],
  ['UNRECOGNIZED', 'Brand New', 'Brand New'],
  [null, 'Brand New', 'Brand New'],
  [null, null, ''],
] as const)('%s (%s upstream) is put as %s', ([word, raw, expected]) => {
  expect(wordOf(word, raw)).toBe(expected);
});

test.for([
  [null, '–'],
  [2.94, '2.9 ms'],
  [31.7, '32 ms'],
  [12_340, '12.3 s'],
] as const)('%s milliseconds are put as %s', ([ms, expected]) => {
  expect(msText(ms)).toBe(expected);
});
