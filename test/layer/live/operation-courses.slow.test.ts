import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';
import { actionInput, collect, place, progress } from '../../support/operations.ts';

const test = testWith({ stepMs: 20 }, { OPERATION_POLL_MS: '8' });

const both = `mutation ($input: StopApplicationInstanceInput!, $same: StartApplicationInstanceInput!) {
  stop: stopApplicationInstance(input: $input) { operation { id state } }
  start: startApplicationInstance(input: $same) { operation { id state } }
}`;

const status =
  /\/locations\/north\/operationStatuses\/[^/?]+\?api-version=2023-04-01&t=\d+&c=MII%2fa~\w+%2B!\*%3d%3D/;
const result = /\/locations\/north\/operationResults\/[^/?]+\?api-version=2023-04-01&t=/;
const succeeded = { state: 'SUCCEEDED', status: 'Succeeded', percentComplete: 100, error: null };
const failed = { state: 'FAILED', percentComplete: 60, error: { code: 'StopFailed' } };

/** Instances of the sandbox that are followed to their end: what each ends with, and which URL is polled. */
const courses: Readonly<Record<string, readonly [end: object, asks: RegExp]>> = {
  tracked: [succeeded, status],
  elsewhere: [succeeded, status],
  'app 03+ö%': [succeeded, status],
  'other-version': [succeeded, /\?api-version=2021-12-01-preview&/],
  'both-at-odds': [succeeded, status],
  located: [{ state: 'SUCCEEDED', status: null, percentComplete: null }, result],
  'located-200': [{ state: 'SUCCEEDED', status: 'Succeeded' }, result],
  'located-409': [{ state: 'FAILED', error: { code: 'StopFailed' } }, result],
  'located-status': [failed, status],
  canceled: [{ state: 'CANCELED', error: { code: 'OperationPreempted' } }, status],
  bare: [{ state: 'SUCCEEDED', startTime: null, endTime: null, operations: [] }, status],
  backwards: [succeeded, status],
  late: [succeeded, status],
  'throttled-polls': [succeeded, status],
  shaky: [succeeded, status],
  emptied: [succeeded, status],
  moving: [succeeded, status],
  overtime: [{ state: 'FAILED', percentComplete: 100, error: { code: 'OperationTimedOut' } }, status],
  'nested-failed': [
    { state: 'FAILED', error: { code: 'StopFailed', details: [{ code: 'OperationTimedOut' }] } },
    status,
  ],
};

test.for(Object.entries(courses))(
  '%s is followed to its end, stopped over a WebSocket and started over an event stream',
  async ([name, [end, asks]], { layer, sandbox }) => {
    const input = actionInput({ ...place, applicationInstanceName: name });

    const { data } = await layer.query(both, { input, same: input });
    const ids = [data.stop.operation.id, data.start.operation.id];
    const told = await Promise.all([
      collect(layer.watch(progress, { id: ids[0] })),
      collect(layer.watchEvents(progress, { id: ids[1] })),
    ]);

    for (const [index, states] of told.entries()) {
      const running = states.slice(0, -1);
      expect(states.at(-1)).toMatchObject({ id: ids[index], ...end });
      expect(running.map(({ state }) => state)).toEqual(running.map(() => 'RUNNING'));
    }
    for (const { method, path } of (await sandbox.calls()).slice(2))
      expect([method, path]).toEqual(['GET', expect.stringMatching(asks)]);
  },
);
