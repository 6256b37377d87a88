import { describe, expect, test } from 'vitest';
import {
  isFinished,
  parseOperationStatus,
  type StepRecord,
} from '../../../../src/instances/operations/operation-status.ts';
import { parseJson } from '../../../../src/runtime/json.ts';

const blank: StepRecord = {
  operationId: null,
  name: null,
  status: null,
  state: 'RUNNING',
  startTime: null,
  endTime: null,
  percentComplete: null,
  error: null,
  operations: [],
};
const error = { code: 'StopFailed', message: 'It would not stop.' };
const endTime = '2026-03-01T09:30:00Z';

test('every field of the source document is read', () => {
  const body = {
    id: '/operations/1',
    name: 'stop',
    status: 'Failed',
    startTime: '2026-03-01T09:00:00Z',
    endTime,
    percentComplete: 42.5,
    error,
    operations: [{ name: 'drain' }],
  };

  expect(parseOperationStatus(body)).toEqual({
    operationId: '/operations/1',
    name: 'stop',
    status: 'Failed',
    state: 'FAILED',
    startTime: '2026-03-01T09:00:00Z',
    endTime,
    percentComplete: 42.5,
    error: { ...error, target: null, details: [], additionalInfo: [] },
    operations: [{ ...blank, name: 'drain' }],
  });
});

describe('the state', () => {
  test.each([
    ['Succeeded', 'SUCCEEDED'],
    ['SUCCEEDED', 'SUCCEEDED'],
    ['Completed', 'SUCCEEDED'],
    ['Failed', 'FAILED'],
    ['Canceled', 'CANCELED'],
    ['Cancelled', 'CANCELED'],
    ['InProgress', 'RUNNING'],
    ['Accepted', 'RUNNING'],
    ['Canceling', 'RUNNING'],
    ['SoftShutdownInProgress', 'RUNNING'],
    ['constructor', 'RUNNING'],
  ])('for the status %s is %s, and the original status is kept', (status, state) => {
    expect(parseOperationStatus({ status })).toEqual({ ...blank, status, state });
  });

  test.each([
    ['InProgress', 'RUNNING'],
    ['Accepted', 'RUNNING'],
    ['Succeeded', 'SUCCEEDED'],
  ])('follows the status %s, whatever the error and the end time', (status, state) => {
    expect(parseOperationStatus({ status, error, endTime }).state).toBe(state);
  });

  test.each([['Error'], ['TimedOut'], ['Timed out'], ['Timeout'], ['Aborted']])(
    'for the status %s is FAILED, with and without an end time',
    (status) => {
      expect(parseOperationStatus({ status, endTime }).state).toBe('FAILED');
      expect(parseOperationStatus({ status }).state).toBe('FAILED');
    },
  );

  test.each([['Stopped'], ['Finished'], ['Unknown']])('of the other word %s follows the rest', (status) => {
    expect(parseOperationStatus({ status, endTime: '0001-01-01T00:00:00Z' }).state).toBe('RUNNING');
    expect(parseOperationStatus({ status, endTime }).state).toBe('SUCCEEDED');
    expect(parseOperationStatus({ status, endTime, error }).state).toBe('FAILED');
    expect(parseOperationStatus({ status, error }).state).toBe('FAILED');
  });

  test.each([
    [{ error: 'It would not stop.' }, { message: 'It would not stop.' }],
    [{ error: null, properties: { error } }, error],
    [{ properties: { error: 'It would not stop.' } }, { message: 'It would not stop.' }],
  ])('is FAILED by %j', (body, expected) => {
    expect(parseOperationStatus({ ...body, status: 'Stopped', endTime })).toMatchObject({
      state: 'FAILED',
      error: expected,
    });
  });

  test.each([[undefined], [200], ['']])('without a word (%j) follows the rest', (status) => {
    expect(parseOperationStatus({ status })).toMatchObject({ status: null, state: 'RUNNING' });
    expect(parseOperationStatus({ status, endTime })).toMatchObject({ status: null, state: 'SUCCEEDED' });
    expect(parseOperationStatus({ status, error })).toMatchObject({ status: null, state: 'FAILED' });
    expect(parseOperationStatus({ status, error, endTime })).toMatchObject({
      status: null,
      state: 'FAILED',
    });
  });

  test.each([[{ error: null }], [{ error: {} }], [{ endTime: null }], [{ endTime: '0001-01-01T00:00:00Z' }]])(
    'is not ended by %j',
    (body) => {
      expect(parseOperationStatus(body)).toEqual(blank);
    },
  );

  test.each([
    ['RUNNING', false],
    ['SUCCEEDED', true],
    ['FAILED', true],
    ['CANCELED', true],
    ['UNKNOWN', true],
  ] as const)('%s being final is %s', (state, expected) => {
    expect(isFinished(state)).toBe(expected);
  });
});

test.each([[null], [undefined], [''], ['<html>'], [[]], [42], [{}]])(
  'a body without a status, %j, runs on',
  (body) => {
    expect(parseOperationStatus(body)).toEqual(blank);
  },
);

describe('the percentage', () => {
  test.each([
    [0, 0],
    [0.5, 0.5],
    [100, 100],
    [100.1, 100],
    [1e9, 100],
    [-1, 0],
    [null, null],
    ['50', null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [[50], null],
    [true, null],
  ])('of %j is %s', (percentComplete, percent) => {
    expect(parseOperationStatus({ percentComplete }).percentComplete).toBe(percent);
  });
});

test('times are in UTC, and null where they are none', () => {
  const times = { startTime: '2026-03-01T10:30:00.1234567+01:00', endTime: '0001-01-01T00:00:00Z' };

  expect(parseOperationStatus(times)).toMatchObject({
    startTime: '2026-03-01T09:30:00.1234567Z',
    endTime: null,
  });
});

describe('steps', () => {
  const nested = (levels: number): Record<string, unknown> =>
    levels === 0 ? { name: 'step 0' } : { name: `step ${levels}`, operations: [nested(levels - 1)] };

  function namesOf(step: StepRecord): (string | null)[] {
    return [step.name, ...step.operations.flatMap(namesOf)];
  }

  test('are read five levels deep, each with its own state', () => {
    const body = {
      operations: [{ operations: [{ operations: [{ operations: [{ status: 'Failed', error }] }] }] }],
    };

    const fifth = parseOperationStatus(body).operations[0]?.operations[0]?.operations[0]?.operations[0];

    expect(fifth).toMatchObject({ status: 'Failed', state: 'FAILED', error });
    expect(namesOf(parseOperationStatus(nested(5)))).toEqual(
      [5, 4, 3, 2, 1, 0].map((level) => `step ${level}`),
    );
  });

  test('are cut off below eight levels', () => {
    expect(namesOf(parseOperationStatus(nested(50)))).toHaveLength(1 + 8);
  });

  test.each([
    ['side by side', { operations: Array.from({ length: 5000 }, () => ({ name: 'step' })) }],
    [
      'in a tree',
      {
        operations: Array.from({ length: 100 }, () => ({
          name: 'step',
          operations: Array.from({ length: 100 }, () => ({ name: 'step' })),
        })),
      },
    ],
  ])('are a thousand at most, %s', (_what, body) => {
    expect(namesOf(parseOperationStatus(body))).toHaveLength(1 + 1000);
  });

  test.each([[null], ['steps'], [{}], [7]])('are empty for %j', (operations) => {
    expect(parseOperationStatus({ operations }).operations).toEqual([]);
  });
});

test('an error keeps the additional information of the upstream', () => {
  const body = parseJson(
    '{"error":{"code":"A","additionalInfo":[{"type":"b","info":{"c":1}}],"details":[{"code":"D"}]}}',
  );

  expect(parseOperationStatus(body).error).toMatchObject({
    code: 'A',
    additionalInfo: [{ type: 'b', info: { c: 1 } }],
    details: [{ code: 'D' }],
  });
});
