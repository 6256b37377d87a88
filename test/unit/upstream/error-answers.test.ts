import { describe, expect, test } from 'vitest';
import type { ErrorDetail } from '../../../src/errors.ts';
import { badResponse, errorOf, readErrorDetail } from '../../../src/upstream/error-answers.ts';

const blank: ErrorDetail = { code: null, message: null, target: null, details: [], additionalInfo: [] };

const answer = (status: number, body: unknown = null, headers: Record<string, string> = {}) =>
  errorOf({ upstream: 'business', status, headers, body }, (text) => text);

describe('the error of a body', () => {
  test('is read from below `error`, with everything below it', () => {
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

  test('is read from a flat body; details that are a text become one detail', () => {
    expect(readErrorDetail({ code: 'NotFound', message: 'No event.', details: 'Look again.' })).toEqual({
      ...blank,
      code: 'NotFound',
      message: 'No event.',
      details: [{ ...blank, message: 'Look again.' }],
    });
  });

  test.each([
    [{ error: { code: 'A' } }, { code: 'A' }],
    [{ error: { message: 'B' } }, { message: 'B' }],
    [{ error: { target: 'C' } }, { target: 'C' }],
    [{ code: 'A', message: 42, target: '' }, { code: 'A' }],
    [{ code: 'A', details: '' }, { code: 'A' }],
    [{ code: 'A', details: 42, additionalInfo: 'none' }, { code: 'A' }],
    [{ code: 'A', details: ['text', null, 7, ['x']] }, { code: 'A' }],
    [{ error: 'invalid_token', code: 'A' }, { code: 'A' }],
    [
      { code: 'A', additionalInfo: [null, 'x', {}] },
      { code: 'A', additionalInfo: [{ type: null, info: null }] },
    ],
    [
      { code: 'A', additionalInfo: [{ type: 7, info: 0 }] },
      { code: 'A', additionalInfo: [{ type: null, info: 0 }] },
    ],
  ])('of %j is %j and nothing else', (body, known) => {
    expect(readErrorDetail(body)).toEqual({ ...blank, ...known });
  });

  test.each([
    [null],
    [undefined],
    ['Bad Gateway'],
    [42],
    [[]],
    [{}],
    [{ error: null }],
    [{ error: {} }],
    [{ error: 'invalid_token' }],
    [{ message: null, code: null }],
    [{ Message: 'wrong case' }],
  ])('is not in %j', (body) => {
    expect(readErrorDetail(body)).toBeNull();
  });

  test('ends eight levels down, however deep it goes', () => {
    let nested: Record<string, unknown> = { code: 'bottom' };
    for (let level = 0; level < 5000; level++) nested = { code: 'level', details: [nested] };

    let depth = 0;
    for (let at = readErrorDetail(nested)?.details[0]; at; at = at.details[0]) depth += 1;

    expect(depth).toBe(8);
  });
});

describe('a status', () => {
  test.each([
    [301, 'UPSTREAM_BAD_RESPONSE', 'unknown'],
    [302, 'UPSTREAM_BAD_RESPONSE', 'unknown'],
    [304, 'UPSTREAM_BAD_RESPONSE', 'unknown'],
    [400, 'UPSTREAM_REJECTED', 'refused'],
    [401, 'UNAUTHENTICATED', 'refused'],
    [403, 'FORBIDDEN', 'refused'],
    [404, 'UPSTREAM_REJECTED', 'refused'],
    [408, 'UPSTREAM_TIMEOUT', 'unknown'],
    [409, 'UPSTREAM_REJECTED', 'refused'],
    [412, 'UPSTREAM_REJECTED', 'refused'],
    [418, 'UPSTREAM_REJECTED', 'refused'],
    [422, 'UPSTREAM_REJECTED', 'refused'],
    [429, 'UPSTREAM_THROTTLED', 'refused'],
    [500, 'UPSTREAM_UNAVAILABLE', 'unknown'],
    [501, 'UPSTREAM_REJECTED', 'refused'],
    [502, 'UPSTREAM_UNAVAILABLE', 'unknown'],
    [503, 'UPSTREAM_UNAVAILABLE', 'unknown'],
    [504, 'UPSTREAM_TIMEOUT', 'unknown'],
    [599, 'UPSTREAM_UNAVAILABLE', 'unknown'],
  ])('of %d is %s, and what became of a write is %s', (status, code, fate) => {
    expect(answer(status)).toMatchObject({
      name: 'UpstreamError',
      code,
      fate,
      status,
      upstream: 'business',
      detail: null,
      retryAfterSeconds: null,
    });
  });
});

describe('an error answer', () => {
  const body = {
    error: { code: 'Authorization_Denied', message: 'ada@example.test lacks user_impersonation' },
  };

  test('keeps what the upstream said, and says it in our own words first', () => {
    const error = answer(400, body);

    expect(error.detail).toEqual({ ...blank, ...body.error });
    expect(error.message).not.toContain('ada@example.test');
  });

  test.each([[401], [403]])('of %d keeps only the code: the rest names callers and scopes', (status) => {
    const error = answer(status, {
      error: { ...body.error, target: 'ada', details: [{ code: 'x' }], additionalInfo: [{ type: 'x' }] },
    });

    expect(error.detail).toEqual({ ...blank, code: 'Authorization_Denied' });
  });

  test('tells how long to wait', () => {
    expect(answer(429, null, { 'retry-after': '7' }).retryAfterSeconds).toBe(7);
    expect(answer(503, null, { 'retry-after': '0' }).retryAfterSeconds).toBe(0);
  });
});

test('an answer that makes no sense leaves open what became of the request', () => {
  expect(badResponse('health', 'No list.')).toMatchObject({
    code: 'UPSTREAM_BAD_RESPONSE',
    message: 'No list.',
    upstream: 'health',
    fate: 'unknown',
    status: null,
  });
});
