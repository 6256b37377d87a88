import { describe, expect, test } from 'vitest';
import {
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
    ['Completed', 'SUCCEEDED'],
    ['Failed', 'FAILED'],
    ['Canceled', 'CANCELED'],
    ['Cancelled', 'CANCELED'],
    ['Accepted', 'RUNNING'],
    ['SoftShutdownInProgress', 'RUNNING'],
    ['constructor', 'RUNNING'],
    ['Error', 'FAILED'],
    ['Timed out', 'FAILED'],
    ['Timeout', 'FAILED'],
    ['Aborted', 'FAILED'],
  ])('for the status %s is %s, and the original status is kept', (status, state) => {
    expect(parseOperationStatus({ status })).toEqual({ ...blank, status, state });
  });

  test.each([
    ['InProgress', 'RUNNING'],
    ['Succeeded', 'SUCCEEDED'],
  ])('follows the status %s, whatever the error and the end time', (status, state) => {
    expect(parseOperationStatus({ status, error, endTime }).state).toBe(state);
  });

  test.each([['Stopped'], [undefined], [200]])('of the other word %s follows the rest', (status) => {
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

  test.each([[{ error: null }], [{ error: {} }], [{ endTime: null }], [{ endTime: '0001-01-01T00:00:00Z' }]])(
    'is not ended by %j',
    (body) => {
      expect(parseOperationStatus(body)).toEqual(blank);
    },
  );
});

test.each([[null], ['<html>'], [[]]])('a body without a status, %j, runs on', (body) => {
  expect(parseOperationStatus(body)).toEqual(blank);
});

describe('the percentage', () => {
  test.each([
    [0.5, 0.5],
    [100.1, 100],
    [-1, 0],
    [null, null],
    ['50', null],
    [Number.NaN, null],
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

  test('are read eight levels deep, each with its own state', () => {
    const fifth = [1, 2, 3, 4].reduce<object>((step) => ({ operations: [step] }), { status: 'Failed' });
    const fourth = parseOperationStatus(fifth).operations[0]?.operations[0]?.operations[0];

    expect(fourth?.operations).toMatchObject([{ status: 'Failed', state: 'FAILED' }]);
    expect(namesOf(parseOperationStatus(nested(50)))).toHaveLength(1 + 8);
  });

  test('are a thousand at most', () => {
    const steps = Array.from({ length: 100 }, () => ({ name: 'step' }));
    const operations = steps.map((step) => ({ ...step, operations: steps }));

    expect(namesOf(parseOperationStatus({ operations }))).toHaveLength(1 + 1000);
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
