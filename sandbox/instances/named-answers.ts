import type { NamedBehaviour } from './behaviour.ts';

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

/** Instances that differ in the first response and its address. */
export const namedAnswers: Readonly<Record<string, NamedBehaviour>> = {
  app01: ['202 with an absolute address', {}],
  app02: ['202 with an absolute address', {}],
  quick: ['200 with the final status, with id and name of the instance, and error: null', { answer: 'done' }],
  tracked: ['200 while running, with an address', { answer: 'tracked' }],
  silent: ['202 without an address', { answer: 'unfollowed' }],
  busy: [
    'rejected: 409 AnotherOperationInProgress',
    {
      refusal: {
        status: 409,
        error: {
          code: 'AnotherOperationInProgress',
          message: 'Another operation is in progress on the instance.',
          target: 'busy',
          details: [
            {
              code: 'OperationInProgress',
              message: 'A start was accepted and has not finished.',
              target: 'operations',
            },
          ],
        },
      },
    },
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
    {
      refusal: {
        status: 409,
        error: {
          code: 'Conflict',
          message: 'The instance is not in a state in which this can be done.',
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
        },
      },
    },
  ],
  forbidden: [
    'rejected: 403 AuthorizationFailed',
    {
      refusal: {
        status: 403,
        error: {
          code: 'AuthorizationFailed',
          message:
            "The client 'clerk@example' with object id '0b1ec7ed-0000-4000-8000-000000000001' does not have authorization to perform this action over the scope, or the scope is invalid.",
        },
      },
    },
  ],
  invalid: [
    'rejected: 400 InvalidParameter',
    {
      refusal: {
        status: 400,
        error: {
          code: 'InvalidParameter',
          message: 'A soft stop is not supported by the kernel of the instance.',
          target: 'softStopTimeoutSeconds',
          details: [],
        },
      },
    },
  ],
  throttled: [
    'rejected: 429 with Retry-After: 1',
    {
      refusal: {
        status: 429,
        error: { code: 'SubscriptionRequestsThrottled', message: "Please try again after '0' seconds." },
        headers: { 'retry-after': '1' },
      },
    },
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
  broken: [
    '500, not executed',
    { refusal: { status: 500, error: { code: 'InternalServerError', message: 'Try again later.' } } },
  ],
  gateway: [
    '504 of a gateway in HTML, executed',
    { refusal: { status: 504, text: '<html><h1>Gateway Timeout</h1></html>', carriedOut: 'unseen' } },
  ],
};
