import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ErrorCode, type Fate, UpstreamError } from '../../../src/errors.ts';
import { type CallKind, isWell, pauseOf, retryOf, verdictOf } from '../../../src/upstream/retry.ts';

interface Failure {
  readonly code?: ErrorCode;
  readonly fate?: Fate;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

const failed = ({ code = 'UPSTREAM_UNAVAILABLE', fate = 'unknown', ...rest }: Failure) =>
  new UpstreamError(code, 'It failed.', { upstream: 'business', fate, ...rest });

const cause = new Error('ECONNRESET');
const refused = failed({ fate: 'unsent', cause });
const reset = failed({ cause });
const late = failed({ code: 'UPSTREAM_TIMEOUT', cause });
const unconnected = failed({ code: 'UPSTREAM_TIMEOUT', fate: 'unsent', cause });
const answered = (status: number, retryAfterSeconds?: number) =>
  failed({
    code: status === 429 ? 'UPSTREAM_THROTTLED' : 'UPSTREAM_UNAVAILABLE',
    fate: status < 500 ? 'refused' : 'unknown',
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
const once = { made: 1, allowed: 3 };

describe('what is tried again', () => {
  // Of each failure: whether a read is, whether a write is.
  test.each<[string, UpstreamError, boolean, boolean]>([
    ['a connection that was refused', refused, true, true],
    ['a connection that did not come to stand in time', unconnected, true, true],
    ['a connection that broke', reset, true, false],
    ['an answer that came too late', late, false, false],
    ['429', answered(429), true, true],
    ['500', answered(500), true, false],
    ['501', answered(501), false, false],
    ['502', answered(502), true, false],
    ['503', answered(503), true, false],
    ['503 with a word on how long', answered(503, 1), true, false],
    ['504', answered(504), false, false],
    ['408', answered(408), false, false],
    ['400', answered(400), false, false],
    ['401', answered(401), false, false],
    ['404', answered(404), false, false],
    ['412', answered(412), false, false],
    ['an answer that makes no sense', failed({ code: 'UPSTREAM_BAD_RESPONSE', status: 200 }), false, false],
    ['a redirection', failed({ code: 'UPSTREAM_BAD_RESPONSE', status: 302 }), false, false],
    ['a token that is not to be had', failed({ fate: 'unsent' }), false, false],
    [
      'a call that was not let go',
      failed({ code: 'UPSTREAM_THROTTLED', fate: 'unsent', retryAfterSeconds: 1 }),
      false,
      false,
    ],
  ])('after %s', (_what, failure, read, write) => {
    expect(retryOf('read', failure, once, 0) !== null).toBe(read);
    expect(retryOf('write', failure, once, 0) !== null).toBe(write);
    expect(retryOf('poll', failure, once, 0)).toBeNull();
    expect(retryOf('read', failure, { made: 3, allowed: 3 }, 0)).toBeNull();
    expect(retryOf('read', failure, { made: 1, allowed: 1 }, 0)).toBeNull();
  });

  test('a read that failed with 500 is tried once more, and no more', () => {
    expect(retryOf('read', answered(500), { made: 2, allowed: 3 }, 0)).toBeNull();
  });

  test('no write is, whatever failed, that may have been carried out', () => {
    const anything = fc.record({
      status: fc.option(fc.constantFrom(200, 202, 301, 400, 404, 408, 409, 412, 500, 501, 502, 503, 504)),
      fate: fc.constantFrom<Fate>('refused', 'unknown'),
      code: fc.constantFrom<ErrorCode>('UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_BAD_RESPONSE'),
      retryAfterSeconds: fc.option(fc.nat(100)),
      made: fc.integer({ min: 1, max: 9 }),
      random: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(anything, ({ status, retryAfterSeconds, made, random, ...rest }) => {
        const failure = failed({
          ...rest,
          cause,
          ...(status !== null && { status }),
          ...(retryAfterSeconds !== null && { retryAfterSeconds }),
        });
        return retryOf('write', failure, { made, allowed: 10 }, random) === null;
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('how long it takes', () => {
  const afterMs = (failure: UpstreamError, made: number, random: number, kind: CallKind = 'read') =>
    retryOf(kind, failure, { made, allowed: 100 }, random)?.afterMs;

  test.each([
    [reset, [100, 200, 400]],
    [answered(502), [100, 200, 400]],
    [answered(503), [500, 1_000, 2_000]],
    [answered(429), [500, 1_000, 2_000]],
  ])('the longest pause doubles, and any shorter one may be drawn (%#)', (failure, longest) => {
    for (const [index, ms] of longest.entries()) {
      expect(afterMs(failure, index + 1, 1)).toBe(ms);
      expect(afterMs(failure, index + 1, 0.5)).toBe(ms / 2);
      expect(afterMs(failure, index + 1, 0)).toBe(0);
    }
  });

  test('it grows to twenty seconds, and no further', () => {
    expect(afterMs(answered(429), 50, 1)).toBe(20_000);
  });

  test('what the upstream asks for is the least', () => {
    expect(afterMs(answered(429, 2), 1, 1)).toBe(2_000);
    expect(afterMs(answered(503, 3), 1, 0)).toBe(3_000);
    expect(afterMs(answered(503, 0), 1, 1)).toBe(500);
    expect(afterMs(answered(429, 3_600), 1, 0, 'write')).toBe(3_600_000);
  });

  test('only what the upstream could not carry out takes from the budget', () => {
    expect(retryOf('read', answered(429, 1), once, 0)?.cost).toBe(0);
    expect(retryOf('read', reset, once, 0)?.cost).toBeGreaterThan(0);
  });

  test('a throttled caller pauses for as long as it is asked to, or half a second', () => {
    expect(pauseOf(answered(429, 7))).toBe(7_000);
    expect(pauseOf(answered(429))).toBe(500);
  });
});

test.each([
  [refused, false],
  [reset, false],
  [late, false],
  [answered(500), false],
  [answered(503), false],
  [answered(504), false],
  [answered(501), true],
  [answered(429), true],
  [answered(404), true],
  [failed({ code: 'UPSTREAM_BAD_RESPONSE', status: 200 }), true],
  // Longer than may be read.
  [failed({ code: 'UPSTREAM_BAD_RESPONSE', cause }), true],
  // Cut short, and never sent.
  [failed({ code: 'UPSTREAM_TIMEOUT' }), null],
  [failed({ fate: 'unsent' }), null],
  [new Error('a mistake'), null],
])(
  'what the upstream is to blame for tells of trouble, any answer of the opposite, and nothing else of either (%#)',
  (error, is) => {
    expect(isWell(error)).toBe(is);
  },
);

test.each([
  [refused, 'unreachable'],
  [unconnected, 'unreachable'],
  [reset, 'failed'],
  [late, 'failed'],
  [answered(503), 'failed'],
  [answered(404), 'answered'],
  [answered(429), 'answered'],
  [answered(401), 'unknown'],
  [answered(403), 'unknown'],
  [failed({ code: 'UPSTREAM_BAD_RESPONSE', cause }), 'answered'],
  [failed({ code: 'UPSTREAM_TIMEOUT' }), 'unknown'],
  [new Error('a mistake'), 'unknown'],
])(
  'no connection is the upstream’s failure, any other may be the query’s, a refused token nobody’s (%#)',
  (error, is) => {
    expect(verdictOf(error)).toBe(is);
  },
);
