import { LosslessNumber } from 'lossless-json';
import type { NamedBehaviour } from './behaviour.ts';

/** Six percentages by step, with a decimal that JSON.stringify would omit. */
const fractions = ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'].map((digits) => new LosslessNumber(digits));

const preempted = { code: 'OperationPreempted', message: 'A newer operation took its place.' };

const timedOut = {
  code: 'OperationTimedOut',
  message: 'The operation took longer than 300 seconds and was terminated.',
};

/** Instances that differ in the status of their operations. */
export const namedProgress: Readonly<Record<string, NamedBehaviour>> = {
  canceled: ['ends as Canceled, with an error', { failsAtStep: 3, endWord: 'Canceled', error: preempted }],
  cancelled: ['ends as Cancelled, without an error', { failsAtStep: 3, endWord: 'Cancelled' }],
  'lower-case': ['ends as succeeded', { words: ['inprogress'], endWord: 'succeeded' }],
  completed: ['ends as Completed', { endWord: 'Completed' }],
  'odd-words': [
    'has statuses that the document does not list',
    { words: ['Preparing System Configuration', 'validateInput', 'Scaling', 'CancelInProgress', 'Active'] },
  ],
  'status-null': ['status is always null', { body: { status: null } }],
  'status-missing': ['no status; an endTime at the end', { omit: ['status'] }],
  'status-number': ['status is 7', { body: { status: 7 } }],
  'error-null': ['error is always null', { body: { error: null } }],
  'self-named': ['id and name are those of the instance', { isSelfNamed: true }],
  nested: ['operations are nested five deep', { depth: 4 }],
  'nested-failed': [
    'fails, and nested operations show where',
    {
      depth: 4,
      failsAtStep: 3,
      error: { code: 'StopFailed', message: 'The instance could not be stopped.', details: [timedOut] },
    },
  ],
  extended: [
    'has fields the document does not have',
    {
      body: { resourceId: '/subscriptions/s/resourceGroups/g/providers/p/t/n', retriable: true },
      endBody: { properties: { stoppedProcesses: 12, took: { seconds: 41.5 }, notes: null } },
    },
  ],
  bare: ['only a status', { omit: ['id', 'name', 'startTime', 'endTime', 'percentComplete', 'operations'] }],
  backwards: ['percentComplete goes 0, 40, 20, 60, 40, 100', { percents: [0, 40, 20, 60, 40, 100] }],
  percentless: ['no percentComplete', { omit: ['percentComplete'] }],
  'percent-one': ['percentComplete goes from 0.0 to 1.0', { percents: fractions }],
  'percent-odd': [
    'percentComplete is below 0, above 100, a string and null',
    { percents: [-20, 33.333333333333336, '60', null, 120, 100] },
  ],
  'seven-digits': ['times have seven decimals and +00:00', { times: 'seven' }],
  'blank-times': ['times have a blank instead of the T, and +0000', { times: 'blank' }],
  endless: ['never ends', { isEndless: true }],

  'retry-none': ['no Retry-After', { retryAfter: '' }],
  'retry-0': ['Retry-After: 0', { retryAfter: '0' }],
  'retry-10': ['Retry-After: 10', { retryAfter: '10' }],
  'retry-huge': ['Retry-After: 99999999999', { retryAfter: '99999999999' }],
  'retry-date': ['Retry-After is a date two seconds from now', { retryAfter: 'date' }],
  'retry-negative': ['Retry-After: -5', { retryAfter: '-5' }],
  'retry-word': ['Retry-After: soon', { retryAfter: 'soon' }],

  late: ['404 on the first poll', { polls: [{ from: 1, to: 1, status: 404 }] }],
  forgotten: ['404 from the third poll on', { polls: [{ from: 3, status: 404 }] }],
  expiring: [
    '401 from the second poll on, for the token that started the operation',
    { polls: [{ from: 2, status: 401 }] },
  ],
  'throttled-polls': [
    '429 on the first two polls',
    { polls: [{ from: 1, to: 2, status: 429, retryAfter: '0' }] },
  ],
  shaky: ['500 on the second poll', { polls: [{ from: 2, to: 2, status: 500 }] }],
  emptied: ['no body on the second poll', { polls: [{ from: 2, to: 2, status: 200 }] }],
  moving: ['a new address from the second step on', { movesAtStep: 2 }],

  'shared-1': [
    'on one machine with shared-2 and shared-3: one operation at a time',
    { machine: 'vm-shared' },
  ],
  'shared-2': ['see shared-1', { machine: 'vm-shared' }],
  'shared-3': ['see shared-1', { machine: 'vm-shared' }],
  restless: ['keeps stopping for three steps after Succeeded', { settlesAtStep: 8 }],
  overtime: [
    'fails at the end, and is Offline two steps later',
    { failsAtStep: 5, error: timedOut, settlesAtStep: 7, settlesAs: 'Offline' },
  ],
  offline: ['initially Offline', { status: 'Offline' }],
  partial: ['PartiallyRunning', { status: 'PartiallyRunning', properties: { health: 'Degraded' } }],
  unavailable: ['Unavailable', { status: 'Unavailable', properties: { health: 'Unhealthy' } }],
  unknown: [
    'Unknown, a status the document does not have; ports are null',
    {
      status: 'Unknown',
      properties: { health: 'Unknown', gatewayPort: null, icmHttpPort: null, icmHttpsPort: null },
    },
  ],
  ailing: [
    'Running with errors',
    {
      properties: {
        health: 'Unhealthy',
        errors: {
          properties: {
            code: 'MonitoringFailed',
            message: 'The instance could not be monitored.',
            details: [{ code: 'AgentMissing', message: 'The agent does not answer.', details: [] }],
          },
        },
      },
    },
  ],
  sparse: ['a resource with only the status in its properties', { isSparse: true }],
  'app 03+ö%': ['a name that requires encoding', {}],
};
