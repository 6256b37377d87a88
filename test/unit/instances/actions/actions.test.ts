import { describe, expect, test } from 'vitest';
import {
  type ActionRequest,
  buildActionBody,
  validateAction,
} from '../../../../src/instances/actions/actions.ts';
import { buildInstancePath } from '../../../../src/instances/instance-address.ts';

const place = { namespace: 'Vendor.Workloads', segment: 'virtualInstances', apiVersion: '2023-04-01' };
const request = {
  action: 'stop',
  subscriptionId: 'sub-1',
  resourceGroupName: 'Group',
  virtualInstanceName: 'X01',
  applicationInstanceName: 'app0',
  softStopTimeoutSeconds: 0,
} as const satisfies ActionRequest;
const names = [
  'subscriptionId',
  'resourceGroupName',
  'virtualInstanceName',
  'applicationInstanceName',
] as const;

test('the path of a stop has the segment, namespace and version of the deployment', () => {
  const deployment = { namespace: 'Other', segment: 'sapVirtualInstances', apiVersion: '2024-09-01' };

  expect(buildInstancePath(deployment, request, 'stop')).toBe(
    '/subscriptions/sub-1/resourceGroups/Group/providers/Other/sapVirtualInstances/X01' +
      '/applicationInstances/app0/stop?api-version=2024-09-01',
  );
});

describe('a stop', () => {
  test('is valid with the longest name and time, and each wrong name is told with its place', () => {
    const longest = { resourceGroupName: 'g'.repeat(90), softStopTimeoutSeconds: Number.MAX_SAFE_INTEGER };

    expect(validateAction({ ...request, ...longest }, place.apiVersion)).toEqual([]);
    for (const key of names)
      expect(validateAction({ ...request, [key]: 'a/b' }, place.apiVersion)).toEqual([
        {
          code: 'INVALID_INPUT',
          message: expect.stringMatching(new RegExp(`^\`${key}\` must .*slash`)),
          path: ['input', 'instance', 'names', key],
          upstream: null,
        },
      ]);
  });

  test.each([
    [{ resourceGroupName: 'g'.repeat(91) }, ['instance', 'names', 'resourceGroupName'], '90'],
    [{ softStopTimeoutSeconds: -1 }, ['softStopTimeoutSeconds'], '0 or more'],
  ])('%# beyond a limit is rejected with the limit', (change, path, limit) => {
    expect(validateAction({ ...request, ...change }, place.apiVersion)).toEqual([
      {
        code: 'INVALID_INPUT',
        message: expect.stringContaining(limit),
        path: ['input', ...path],
        upstream: null,
      },
    ]);
  });
});

test('a start has no body', () => {
  const { softStopTimeoutSeconds: _, ...start } = { ...request, action: 'start' as const };

  expect(validateAction(start, place.apiVersion)).toEqual([]);
  expect(buildActionBody(start)).toBeUndefined();
  expect(buildInstancePath(place, start, 'start')).toContain('/app0/start?api-version=');
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
