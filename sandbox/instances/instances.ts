import { LosslessNumber } from 'lossless-json';
import { type Behaviour, defaultBehaviour, type NamedBehaviour, type SentError } from './behaviour.ts';
import type { InstanceOperation } from './operation.ts';

export interface Instance {
  readonly name: string;
  readonly behaviour: Behaviour;
  /** The last operation, if any. */
  operation?: InstanceOperation;
}

/** The instances by name, in the order of the list. */
export type Instances = Map<string, Instance>;

export function machineName({ name, behaviour }: Instance): string {
  return behaviour.machine ?? `vm-${name}`;
}

const stopFailed = {
  code: 'StopFailed',
  message: 'The instance could not be stopped.',
  target: 'fragile',
  details: [
    {
      code: 'ProcessNotResponding',
      message: 'The process did not end within its time.',
      target: 'stop-process',
    },
  ],
  additionalInfo: [
    { type: 'Diagnostics', info: { host: 'n01-app-3', processId: 4711, signals: ['TERM', 'KILL'] } },
  ],
};

const decoy = 'https://eastus2euap.management.example';

/** Six percentages by step, with a decimal that JSON.stringify would omit. */
const fractions = ['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'].map((digits) => new LosslessNumber(digits));

const preempted = { code: 'OperationPreempted', message: 'A newer operation took its place.' };

const timedOut = {
  code: 'OperationTimedOut',
  message: 'The operation took longer than 300 seconds and was terminated.',
};

/** Rejects a start or stop with an ErrorResponse. */
const refused = (
  status: number,
  code: string,
  message: string,
  more: SentError = {},
  headers: Readonly<Record<string, string>> = {},
): Partial<Behaviour> => ({ refusal: { status, error: { code, message, ...more }, headers } });

/** Instances by name. Stopped ones can be stopped again, and running ones started. */
const namedInstances: Readonly<Record<string, NamedBehaviour>> = {
  // These differ in the first response and its address.
  app01: ['202 with an absolute address', {}],
  app02: ['202 with an absolute address', {}],
  quick: ['200 with the final status, with id and name of the instance, and error: null', { answer: 'done' }],
  tracked: ['200 while running, with an address', { answer: 'tracked' }],
  silent: ['202 without an address', { answer: 'unfollowed' }],
  busy: [
    'rejected: 409 AnotherOperationInProgress',
    refused(409, 'AnotherOperationInProgress', 'Another operation is in progress on the instance.', {
      target: 'busy',
      details: [
        {
          code: 'OperationInProgress',
          message: 'A start was accepted and has not finished.',
          target: 'operations',
        },
      ],
    }),
  ],
  fragile: ['fails at the third step', { failsAtStep: 3, error: stopFailed }],
  'quick-failed': ['200 with the final status Failed', { answer: 'done', failsAtStep: 0, error: stopFailed }],
  mute: ['200 without a body', { answer: 'empty' }],

  located: ['202 with Location only, which answers 202, then 204', { follow: 'location' }],
  'located-200': ['Location only: 202, then 200 with the final status', { follow: 'location', result: 200 }],
  'located-409': [
    'Location only: 202, then 409 with an ErrorResponse',
    { follow: 'location', failsAtStep: 3, error: stopFailed },
  ],
  'located-status': [
    'Location only, and it answers 200 with an OperationStatusResult that fails',
    { follow: 'location', result: 'status', failsAtStep: 3, error: stopFailed },
  ],
  both: ['the address of the status, and Location', { follow: 'both', result: 200 }],
  'both-at-odds': ['both; Location is always 202', { follow: 'both', result: 202 }],

  spelled: ['the header is spelled azure-AsyncOperation', { header: 'azure-AsyncOperation' }],
  elsewhere: ['an address on another host', { address: `${decoy}{path}` }],
  'elsewhere-443': ['an address on another host with a port', { address: `${decoy}:443{path}` }],
  posing: [
    'an address with this host as the user name of another',
    { address: 'http://{host}@decoy.example{path}' },
  ],
  schemeless: ['an address without a scheme', { address: '//eastus2euap.management.example{path}' }],
  rooted: ['an address without a host', { address: '{path}' }],
  rootless: ['an address without a host and a leading slash', { address: '{relative}' }],
  'long-address': [
    'an address of 4,000 characters; 403 unless it is repeated exactly',
    { addressLength: 4_000, isSealed: true },
  ],
  'too-long': ['an address of 5,000 characters', { addressLength: 5_000 }],
  'other-version': ['an address with an older api-version', { apiVersion: '2021-12-01-preview' }],

  conflict: [
    'rejected: 409 Conflict, with details and additionalInfo in details',
    refused(409, 'Conflict', 'The instance is not in a state in which this can be done.', {
      target: 'properties.status',
      details: [
        {
          code: 'SapDbOpsNotInExpectedState',
          message: 'The database is not in the expected state.',
          target: 'databaseInstances/db0',
          details: [{ code: 'DatabaseOffline', message: 'The database is offline.' }],
          additionalInfo: [{ type: 'State', info: { expected: 'Running', actual: 'Offline' } }],
        },
      ],
      additionalInfo: [{ type: 'PolicyViolation', info: { policy: { id: 7, tags: ['a', null] } } }],
    }),
  ],
  forbidden: [
    'rejected: 403 AuthorizationFailed',
    refused(
      403,
      'AuthorizationFailed',
      "The client 'clerk@example' with object id '0b1ec7ed-0000-4000-8000-000000000001' does not have authorization to perform this action over the scope, or the scope is invalid.",
    ),
  ],
  invalid: [
    'rejected: 400 InvalidParameter',
    refused(400, 'InvalidParameter', 'A soft stop is not supported by the kernel of the instance.', {
      target: 'softStopTimeoutSeconds',
      details: [],
    }),
  ],
  throttled: [
    'rejected: 429 with Retry-After: 1',
    refused(
      429,
      'SubscriptionRequestsThrottled',
      "Please try again after '0' seconds.",
      {},
      { 'retry-after': '1' },
    ),
  ],
  'refused-followed': [
    'rejected with 409, but with the address of an operation, which fails',
    {
      failsAtStep: 1,
      error: stopFailed,
      refusal: {
        status: 409,
        error: { code: 'OperationNotAllowed', message: 'The operation is not allowed now.' },
        headers: { 'x-ms-failure-cause': 'service' },
        carriedOut: 'followed',
      },
    },
  ],
  broken: ['500, not executed', refused(500, 'InternalServerError', 'Try again later.')],
  gateway: [
    '504 of a gateway in HTML, executed',
    { refusal: { status: 504, text: '<html><h1>Gateway Timeout</h1></html>', carriedOut: 'unseen' } },
  ],

  // These differ in the status of their operations.
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

/** What each instance is for, by name. */
export const instanceDescriptions: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(namedInstances).map(([name, [about]]) => [name, about]),
);

export const createInstances = (): Instances => instancesNamed(Object.entries(namedInstances));

/** Eight instances, of which one is offline, one runs in part, one is unhealthy and one fails to stop. */
export function createDemoInstances(): Instances {
  const kinds = ['app01', 'app02', 'fragile', 'app02', 'offline', 'partial', 'ailing', 'app02'];
  return instancesNamed(
    kinds.map((kind, index) => [`app0${index + 1}`, namedInstances[kind] as NamedBehaviour]),
  );
}

const instancesNamed = (named: readonly (readonly [string, NamedBehaviour])[]): Instances =>
  new Map(
    named.map(([name, [, differences]]) => [
      name,
      { name, behaviour: { ...defaultBehaviour, ...differences } },
    ]),
  );
