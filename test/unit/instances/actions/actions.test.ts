import { describe, expect, test } from 'vitest';
import {
  type ActionRequest,
  buildActionBody,
  validateAction,
} from '../../../../src/instances/actions/actions.ts';

const place = { namespace: 'Vendor.Workloads', segment: 'virtualInstances', apiVersion: '2023-04-01' };
const request = {
  action: 'stop',
  subscriptionId: 'sub-1',
  resourceGroupName: 'Group',
  virtualInstanceName: 'X01',
  applicationInstanceName: 'app0',
  softStopTimeoutSeconds: 0,
} as const satisfies ActionRequest;
describe('a stop', () => {
  test('is valid with the longest name and time, and a wrong name is told with its place', () => {
    const longest = { resourceGroupName: 'g'.repeat(90), softStopTimeoutSeconds: Number.MAX_SAFE_INTEGER };

    expect(validateAction({ ...request, ...longest }, place.apiVersion)).toEqual([]);
    expect(validateAction({ ...request, virtualInstanceName: 'a/b' }, place.apiVersion)).toMatchObject([
      { code: 'INVALID_INPUT', path: ['input', 'instance', 'names', 'virtualInstanceName'], upstream: null },
    ]);
  });

  test('with a time below 0 is rejected', () => {
    expect(validateAction({ ...request, softStopTimeoutSeconds: -1 }, place.apiVersion)).toMatchObject([
      { code: 'INVALID_INPUT', path: ['input', 'softStopTimeoutSeconds'] },
    ]);
  });
});

test('a start has no body', () => {
  const { softStopTimeoutSeconds: _, ...start } = { ...request, action: 'start' as const };

  expect(validateAction(start, place.apiVersion)).toEqual([]);
  expect(buildActionBody(start)).toBeUndefined();
});

describe('the virtual machine', () => {
  const { softStopTimeoutSeconds: _, ...start } = { ...request, action: 'start' as const };

  test.each(['2023-10-01-preview', '2024-09-01'])(
    'can be stopped and started in the version %s',
    (version) => {
      expect(validateAction({ ...request, deallocateVm: true }, version)).toEqual([]);
      expect(validateAction({ ...start, startVm: true }, version)).toEqual([]);
      expect(JSON.parse(buildActionBody({ ...request, deallocateVm: true }) ?? '')).toEqual({
        softStopTimeoutSeconds: 0,
        deallocateVm: true,
      });
      expect(buildActionBody({ ...start, startVm: true })).toBe('{"startVm":true}');
    },
  );

  test('cannot be stopped or started in the version of the document, which is said', () => {
    expect(validateAction({ ...request, deallocateVm: true }, place.apiVersion)).toMatchObject([
      { path: ['input', 'deallocateVm'], message: expect.stringContaining('2023-04-01') },
    ]);
    expect(validateAction({ ...start, startVm: true }, place.apiVersion)).toMatchObject([
      { path: ['input', 'startVm'], message: expect.stringContaining('2023-10-01-preview') },
    ]);
  });

  test('is not named in a request that leaves it alone', () => {
    expect(buildActionBody({ ...request, deallocateVm: false })).toBe('{"softStopTimeoutSeconds":0}');
    expect(buildActionBody({ ...start, startVm: false })).toBeUndefined();
  });
});
