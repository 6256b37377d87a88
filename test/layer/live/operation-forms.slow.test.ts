import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';
import { actionInput, collect, place } from '../../support/operations.ts';

const test = testWith({ stepMs: 20 }, { OPERATION_POLL_MS: '8' });

const both = `mutation ($input: StopApplicationInstanceInput!, $same: StartApplicationInstanceInput!) {
  stop: stopApplicationInstance(input: $input) { operation { id state } }
  start: startApplicationInstance(input: $same) { operation { id state } }
}`;

const progress = `subscription ($id: ID!) {
  operationProgress(id: $id) {
    id operationId name state status percentComplete startTime endTime
    error { code message details { code } additionalInfo { type info } }
    operations { ...step operations { ...step operations { ...step operations { ...step operations { ...step } } } } }
  }
}
fragment step on OperationStep { operationId name state status percentComplete startTime endTime error { code } }`;

interface Course {
  /** The words it may run through, in order. */
  readonly words?: readonly (string | null)[];
  /** The percentages it may run through, in order. */
  readonly percents?: readonly (number | null)[];
  /** What it ends with. */
  readonly end?: object;
  readonly asks?: RegExp;
}

const status =
  /\/locations\/north\/operationStatuses\/[^/?]+\?api-version=2023-04-01&t=\d+&c=MII%2fa~\w+%2B!\*%3d%3D/;
const result = /\/locations\/north\/operationResults\/[^/?]+\?api-version=2023-04-01&t=/;
const nothing = { words: [null], percents: [null] };
const failed = { state: 'FAILED', status: 'Failed', percentComplete: 60, error: { code: 'StopFailed' } };
const usual = {
  words: ['Preparing System Configuration', 'InProgress'],
  percents: [0, 20, 40, 60, 80],
  end: { state: 'SUCCEEDED', status: 'Succeeded', percentComplete: 100, error: null },
  asks: status,
} as const;

/** Instances of the sandbox that are followed to their end, and how each departs from the usual. */
const courses: Readonly<Record<string, Course>> = {
  app01: {},
  tracked: {},
  spelled: {},
  elsewhere: {},
  'elsewhere-443': {},
  posing: {},
  schemeless: {},
  rooted: {},
  rootless: {},
  'long-address': { asks: /^.{4000}$/ },
  'other-version': { asks: /\?api-version=2021-12-01-preview&/ },
  'app 03+ö%': {},
  both: {},
  'both-at-odds': {},
  located: { ...nothing, asks: result, end: { state: 'SUCCEEDED', status: null, percentComplete: null } },
  'located-200': {
    ...nothing,
    asks: result,
    end: { state: 'SUCCEEDED', status: 'Succeeded', name: 'located-200' },
  },
  'located-409': { ...nothing, asks: result, end: { state: 'FAILED', error: { code: 'StopFailed' } } },
  'located-status': { end: failed },
  fragile: {
    end: {
      ...failed,
      error: {
        code: 'StopFailed',
        details: [{ code: 'ProcessNotResponding' }],
        additionalInfo: [
          { type: 'Diagnostics', info: { host: 'n01-app-3', processId: 4711, signals: ['TERM', 'KILL'] } },
        ],
      },
    },
  },
  canceled: { end: { state: 'CANCELED', status: 'Canceled', error: { code: 'OperationPreempted' } } },
  cancelled: { end: { state: 'CANCELED', status: 'Cancelled', error: null } },
  'lower-case': { words: ['inprogress'], end: { state: 'SUCCEEDED', status: 'succeeded' } },
  completed: { end: { state: 'SUCCEEDED', status: 'Completed' } },
  'odd-words': {
    words: ['Preparing System Configuration', 'validateInput', 'Scaling', 'CancelInProgress', 'Active'],
  },
  'status-null': { words: [null], end: { state: 'SUCCEEDED', status: null, percentComplete: 100 } },
  'status-missing': { words: [null], end: { state: 'SUCCEEDED', status: null, percentComplete: 100 } },
  'status-number': { words: [null], end: { state: 'SUCCEEDED', status: null, percentComplete: 100 } },
  'error-null': {},
  'self-named': { end: { state: 'SUCCEEDED', name: 'self-named' } },
  extended: {},
  bare: {
    percents: [null],
    end: {
      state: 'SUCCEEDED',
      operationId: null,
      name: null,
      startTime: null,
      endTime: null,
      operations: [],
    },
  },
  // A watcher may miss the first 40, and be told the 20 after it.
  backwards: { percents: [0, 20, 40, 60] },
  percentless: { percents: [null], end: { state: 'SUCCEEDED', percentComplete: null } },
  'percent-one': { percents: [0, 0.2, 0.4, 0.6, 0.8], end: { state: 'SUCCEEDED', percentComplete: 1 } },
  'percent-odd': { percents: [null, 0, 33.333333333333336, 100] },
  'seven-digits': { end: { state: 'SUCCEEDED', endTime: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{7}Z$/) } },
  'blank-times': { end: { state: 'SUCCEEDED', endTime: expect.stringMatching(/T\d\d:\d\d:\d\d\.\d{3}Z$/) } },
  'retry-none': {},
  'retry-0': {},
  'retry-negative': {},
  'retry-word': {},
  late: { words: [null, ...usual.words], percents: [null, ...usual.percents] },
  'throttled-polls': {},
  shaky: {},
  emptied: {},
  moving: {},
  restless: {},
  overtime: { end: { state: 'FAILED', percentComplete: 100, error: { code: 'OperationTimedOut' } } },
  offline: {},
  sparse: {},
  nested: {
    end: {
      state: 'SUCCEEDED',
      operations: [{ name: expect.stringMatching(/-process$/) }, { name: 'verify' }],
    },
  },
  'nested-failed': {
    end: { state: 'FAILED', error: { code: 'StopFailed', details: [{ code: 'OperationTimedOut' }] } },
  },
};

const rows = Object.entries(courses).map(([name, course]) => [name, { ...usual, ...course }] as const);

/** Whether these are some of the values, in their order. */
function isWithin(values: readonly unknown[], some: readonly unknown[]): boolean {
  let from = 0;
  return some.every((value) => {
    from = values.indexOf(value, from);
    return from >= 0;
  });
}

test.for(rows)(
  '%s is followed to its end, stopped over a WebSocket and started over an event stream',
  async (row, { layer, sandbox }) => {
    const [name, { words, percents, end, asks }] = row;
    const input = actionInput({ ...place, applicationInstanceName: name });

    const { data } = await layer.query(both, { input, same: input });
    const ids = [data.stop.operation.id, data.start.operation.id];
    const courses = await Promise.all([
      collect(layer.watch(progress, { id: ids[0] })),
      collect(layer.watchEvents(progress, { id: ids[1] })),
    ]);

    for (const [index, told] of courses.entries()) {
      const running = told.slice(0, -1);
      expect(told.at(-1)).toMatchObject(end);
      expect(told.map(({ id }) => id)).toEqual(told.map(() => ids[index]));
      expect(running.map(({ state }) => state)).toEqual(running.map(() => 'RUNNING'));
      expect(
        isWithin(
          words,
          running.map((state) => state.status),
        ),
        JSON.stringify(running),
      ).toBe(true);
      expect(
        isWithin(
          percents,
          running.map((state) => state.percentComplete),
        ),
        JSON.stringify(running),
      ).toBe(true);
      expect(new Set(told.map((state) => JSON.stringify(state))).size).toBe(told.length);
    }
    const looks = (await sandbox.calls()).slice(2);
    for (const { method, path } of looks)
      expect([method, path]).toEqual(['GET', expect.stringMatching(asks)]);
    expect(new Set(looks.map(({ path }) => path)).size).toBeLessThanOrEqual(name === 'moving' ? 4 : 2);
  },
);

test('steps nested five deep are all reported, with the step that failed', async ({ layer }) => {
  const input = actionInput({ ...place, applicationInstanceName: 'nested-failed' });

  // A caller who has not stopped it before: the sandbox forgets operations between tests, the layer does not.
  const token = 'caller-of-nested-steps';

  const { data } = await layer.query(both, { input, same: input }, { authorization: `Bearer ${token}` });
  const last = (await collect(layer.watch(progress, { id: data.stop.operation.id }, token))).at(-1);

  const below = (step: { operations?: readonly object[] }) => step.operations?.[0] as typeof step | undefined;
  const path = [last];
  for (let step = below(last); step; step = below(step)) path.push(step);
  expect(path.slice(1).map(({ name, state }) => [name, state])).toEqual([
    ['stop-process', 'FAILED'],
    ['stop-process-part', 'FAILED'],
    ['stop-process-part-part', 'FAILED'],
    ['stop-process-part-part-part', 'FAILED'],
    ['stop-process-part-part-part-part', 'FAILED'],
  ]);
  expect(path.at(-1).error).toEqual({ code: 'StopFailed' });
});

test.for(['stop', 'start'] as const)(
  'every change of a %s is reported once, in order',
  async (action, { layer, sandbox }) => {
    const bodies = [
      { status: 'Queued' },
      { status: 'Queued' },
      { status: 'Queued', percentComplete: 0 },
      { status: 'Queued' },
      { status: 'Queued', percentComplete: 10 },
      { status: 'Working', percentComplete: 10 },
      { status: 'Working', percentComplete: 5 },
      { status: 'Working', percentComplete: 99.5, operations: [{ name: 'one' }] },
      { status: 'Working', percentComplete: 99.5, operations: [{ name: 'one', status: 'Succeeded' }] },
      { status: 'Succeeded', percentComplete: 100, operations: [{ name: 'one', status: 'Succeeded' }] },
    ];
    const input = actionInput({ ...place, applicationInstanceName: 'endless' });
    const { data } = await layer.query(both, { input, same: input });
    for (const body of bodies) await sandbox.fault({ path: '/operationStatuses/', status: 200, body });

    const told = await collect(layer.watch(progress, { id: data[action].operation.id }));

    expect(
      told.map(({ status, percentComplete, operations }) => [status, percentComplete, operations[0]?.state]),
    ).toEqual([
      ['Queued', null, undefined],
      ['Queued', 0, undefined],
      ['Queued', 10, undefined],
      ['Working', 10, undefined],
      ['Working', 99.5, 'RUNNING'],
      ['Working', 99.5, 'SUCCEEDED'],
      ['Succeeded', 100, 'SUCCEEDED'],
    ]);
  },
);
