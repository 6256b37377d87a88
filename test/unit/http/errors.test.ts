import { describe, expect, test } from 'vitest';
import type { ErrorDetail } from '../../../src/errors.ts';
import { readErrorDetail, toUpstreamError } from '../../../src/http/errors.ts';

const blank: ErrorDetail = { code: null, message: null, target: null, details: [], additionalInfo: [] };

const answer = (status: number, body: unknown = null, headers: Record<string, string> = {}) =>
  toUpstreamError({ upstream: 'business', status, headers, body }, (text) => text);

describe('the error in a body', () => {
  test('is read from `error`, with all nested details', () => {
    const body = {
      error: {
        code: 'InvalidParameter',
        message: 'It is wrong.',
        target: 'name',
        details: [
          { code: 'TooLong', message: '91 characters', target: 'name', details: [{ code: 'Deeper' }] },
        ],
        additionalInfo: [{ type: 'Policy', info: { max: 90 } }],
      },
    };

    expect(readErrorDetail(body)).toEqual({
      code: 'InvalidParameter',
      message: 'It is wrong.',
      target: 'name',
      details: [
        {
          ...blank,
          code: 'TooLong',
          message: '91 characters',
          target: 'name',
          details: [{ ...blank, code: 'Deeper' }],
        },
      ],
      additionalInfo: [{ type: 'Policy', info: { max: 90 } }],
    });
  });

  test.each([
    [{ code: 'A', message: 42, target: '' }, { code: 'A' }],
    [{ code: 'A', details: ['text', null, 7, ['x']] }, { code: 'A' }],
    [{ error: 'invalid_token', code: 'A' }, { code: 'A' }],
    [
      { code: 'A', additionalInfo: [null, 'x', {}] },
      { code: 'A', additionalInfo: [{ type: null, info: null }] },
    ],
  ])('in %j is %j and nothing else', (body, known) => {
    expect(readErrorDetail(body)).toEqual({ ...blank, ...known });
  });

  test.each([[null], ['Bad Gateway'], [{}], [{ error: 'invalid_token' }]])('is not in %j', (body) => {
    expect(readErrorDetail(body)).toBeNull();
  });

  test('is cut at eight levels of details', () => {
    let nested: Record<string, unknown> = { code: 'bottom' };
    for (let level = 0; level < 5000; level++) nested = { code: 'level', details: [nested] };

    let depth = 0;
    for (let at = readErrorDetail(nested)?.details[0]; at; at = at.details[0]) depth += 1;

    expect(depth).toBe(8);
  });
});

describe('status', () => {
  test.each([
    [400, 'UPSTREAM_REJECTED', 'rejected'],
    [401, 'UNAUTHENTICATED', 'rejected'],
    [403, 'FORBIDDEN', 'rejected'],
    [404, 'UPSTREAM_NOT_FOUND', 'rejected'],
    [408, 'UPSTREAM_TIMEOUT', 'unknown'],
    [429, 'UPSTREAM_THROTTLED', 'rejected'],
    [500, 'UPSTREAM_UNAVAILABLE', 'unknown'],
    [501, 'UPSTREAM_REJECTED', 'rejected'],
    [504, 'UPSTREAM_TIMEOUT', 'unknown'],
  ])('%d is %s with delivery %s', (status, code, delivery) => {
    expect(answer(status)).toMatchObject({
      name: 'UpstreamError',
      code,
      delivery,
      status,
      upstream: 'business',
      detail: null,
      retryAfterSeconds: null,
    });
  });
});

describe.each([
  ['instances', 'INSTANCES_TYPE'],
  ['health', 'HEALTH_PROVIDER'],
] as const)('an error of %s', (upstream, setting) => {
  const errorOf = (code: string, status = 404) =>
    toUpstreamError({ upstream, status, headers: {}, body: { error: { code } } }, (text) => text);
  const messageOf = (code: string) => errorOf(code).message;

  test.each([
    [400, 'InvalidApiVersionParameter'],
    [404, 'InvalidResourceType'],
    [500, 'NoRegisteredProviderFound'],
  ])('%d with %s is that of a version that there is not, and does not say that it passes', (status, code) => {
    const { message, ...error } = errorOf(code, status);

    expect(error).toMatchObject({ code: 'UPSTREAM_NOT_FOUND', delivery: 'rejected' });
    expect(message).toContain(setting);
    expect(message).not.toMatch(/later|again/);
  });

  test('with SubscriptionNotFound says that rights may be missing', () => {
    expect(messageOf('SubscriptionNotFound')).toContain('has no rights in it');
  });
});

describe('an error response', () => {
  const body = {
    error: { code: 'Authorization_Denied', message: 'ada@example.test lacks user_impersonation' },
  };

  test("has a message of Tributary, and the upstream's error as detail", () => {
    const error = answer(400, body);

    expect(error.detail).toEqual({ ...blank, ...body.error });
    expect(error.message).not.toContain('ada@example.test');
  });

  test.each([[401], [403]])(
    'with status %d keeps only the error code, since the rest names callers and scopes',
    (status) => {
      const error = answer(status, {
        error: { ...body.error, target: 'ada', details: [{ code: 'x' }], additionalInfo: [{ type: 'x' }] },
      });

      expect(error.detail).toEqual({ ...blank, code: 'Authorization_Denied' });
    },
  );

  test('has the seconds of Retry-After', () => {
    expect(answer(429, null, { 'retry-after': '7' }).retryAfterSeconds).toBe(7);
    expect(answer(503, null, { 'retry-after': '0' }).retryAfterSeconds).toBe(0);
  });
});
