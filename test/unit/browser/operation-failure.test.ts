import { expect, test } from 'vitest';
import { currentStep, describeFailure } from '../../../browser/console/operations/operation-failure.js';
import type { OperationStep } from '../../../browser/console/types.js';

const step = (change: Partial<OperationStep>): OperationStep => ({
  name: null,
  status: null,
  state: 'SUCCEEDED',
  percentComplete: null,
  startTime: null,
  endTime: null,
  error: null,
  ...change,
});
const error = (code: string, message: string, details: { code: string; message: string }[] = []) => ({
  code,
  message,
  details,
});

test('describeFailure names the steps down to the failed one, and each message once', () => {
  const unresponsive = error('ProcessNotResponding', 'The process did not end.');
  const operation = step({
    state: 'FAILED',
    error: error('StopFailed', 'It could not be stopped.', [unresponsive]),
    operations: [
      step({ name: 'drain' }),
      step({
        name: 'stop-process',
        state: 'FAILED',
        error: unresponsive,
        operations: [step({ name: 'kill', state: 'FAILED', error: error('Kill', 'No such signal.') })],
      }),
    ],
  });

  expect(describeFailure(operation)).toEqual({
    path: ['stop-process', 'kill'],
    messages: [
      { code: 'StopFailed', message: 'It could not be stopped.' },
      { code: 'ProcessNotResponding', message: 'The process did not end.' },
      { code: 'Kill', message: 'No such signal.' },
    ],
  });
});

test('describeFailure has neither steps nor messages of an operation that succeeded', () => {
  expect(describeFailure(step({ operations: [step({ name: 'drain' })] }))).toEqual({
    path: [],
    messages: [],
  });
});

test('describeFailure shows an error that has a code only', () => {
  expect(describeFailure(step({ state: 'FAILED', error: { code: 'Odd', message: null } })).messages).toEqual([
    { code: 'Odd', message: '' },
  ]);
});

test('currentStep is the innermost step that runs', () => {
  const running = step({
    state: 'RUNNING',
    operations: [
      step({ name: 'one' }),
      step({ name: 'later', state: 'RUNNING', status: 'NotStarted', percentComplete: 0 }),
      step({ name: 'two', state: 'RUNNING', operations: [step({ name: 'two-a', state: 'RUNNING' })] }),
    ],
  });

  expect(currentStep(running)).toBe('two-a');
  expect(currentStep(step({}))).toBeNull();
});
