import { describe, expect, test } from 'vitest';
import {
  type Delivery,
  type ErrorCode,
  type ErrorDetail,
  InputError,
  UpstreamError,
} from '../../../src/errors.ts';
import { mapUpstreamError } from '../../../src/graph/user-errors.ts';

const detailOf = (code: string): ErrorDetail => ({
  code,
  message: 'No.',
  target: null,
  details: [],
  additionalInfo: [],
});

const failure = (status: number, code: ErrorCode, delivery: Delivery, detail: ErrorDetail | null = null) =>
  new UpstreamError(code, 'It failed.', { upstream: 'business', status, delivery, detail });

describe('a failed write', () => {
  test.each([
    [400, 'UPSTREAM_REJECTED', 'INVALID_INPUT'],
    [403, 'FORBIDDEN', 'NOT_ALLOWED'],
    [404, 'UPSTREAM_REJECTED', 'NOT_FOUND'],
    [409, 'UPSTREAM_REJECTED', 'CONFLICT'],
  ] as const)('refused with %d is for the caller to act on: %s is %s', (status, code, userErrorCode) => {
    const detail = detailOf('BadRequest');
    const userError = mapUpstreamError(failure(status, code, 'rejected', detail), 'Look.');

    expect(userError).toEqual({
      code: userErrorCode,
      message: expect.stringMatching(/\.$/),
      path: null,
      upstream: detail,
    });
  });

  test.each([
    ['Application_DialogException', 'REFUSED'],
    ['BadRequest_RequiredParamNotProvided', 'INVALID_INPUT'],
    ['Internal_Something', 'REFUSED'],
  ])('refused with %s is %s, in any language', (code, userErrorCode) => {
    const sentence = 'Der Datensatz wird gerade geändert.';
    const detail = { ...detailOf(code), message: `${sentence}  CorrelationId:  0c6f. ` };
    const error = mapUpstreamError(failure(400, 'UPSTREAM_REJECTED', 'rejected', detail), 'Look.');

    expect(error).toMatchObject({ code: userErrorCode, upstream: detail });
    expect(error?.message.endsWith(`: ${sentence}`)).toBe(true);
  });

  test.each([
    [400, 'REFUSED'],
    [422, 'INVALID_INPUT'],
  ])('refused with %d and no code is %s', (status, code) => {
    const error = mapUpstreamError(failure(status, 'UPSTREAM_REJECTED', 'rejected'), 'Look.');

    expect(error).toMatchObject({ code, upstream: null });
  });

  test.each([
    [500, 'UPSTREAM_UNAVAILABLE'],
    [504, 'UPSTREAM_TIMEOUT'],
    [200, 'UPSTREAM_BAD_RESPONSE'],
  ] as const)(
    'with status %d, after which the write may have been applied, is OUTCOME_UNKNOWN and says where to look',
    (status, code) => {
      const userError = mapUpstreamError(failure(status, code, 'unknown'), 'Look for the record.');

      expect(userError).toMatchObject({ code: 'OUTCOME_UNKNOWN', path: null, upstream: null });
      expect(userError?.message).toContain('Look for the record.');
    },
  );

  test.each([
    ['no token', failure(401, 'UNAUTHENTICATED', 'rejected')],
    ['throttling', failure(429, 'UPSTREAM_THROTTLED', 'rejected')],
    ['a request that never left', failure(0, 'UPSTREAM_UNAVAILABLE', 'notSent')],
    ['bad input', new InputError('No.')],
  ])('stays a GraphQL error for %s', (_what, error) => {
    expect(mapUpstreamError(error, 'Look.')).toBeNull();
  });
});
