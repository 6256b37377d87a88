import { describe, expect, test } from 'vitest';
import {
  type ActionRequest,
  buildActionBody,
  validateAction,
} from '../../../src/instances/action-request.ts';
import { buildInstancePath } from '../../../src/instances/instance-address.ts';

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

describe('the path of a stop', () => {
  test('is the one of the source document', () => {
    expect(buildInstancePath(place, request, 'stop')).toBe(
      '/subscriptions/sub-1/resourceGroups/Group/providers/Vendor.Workloads/virtualInstances/X01' +
        '/applicationInstances/app0/stop?api-version=2023-04-01',
    );
  });

  test('has the segment, namespace and version of the deployment', () => {
    const path = buildInstancePath(
      { namespace: 'Other', segment: 'sapVirtualInstances', apiVersion: '2024-09-01' },
      request,
      'stop',
    );

    expect(path).toContain('/providers/Other/sapVirtualInstances/X01/');
    expect(path).toMatch(/\?api-version=2024-09-01$/);
  });

  test.each([
    ['a b', 'a%20b'],
    ['a?b', 'a%3Fb'],
    ['a#b', 'a%23b'],
    ['a%2Fb', 'a%252Fb'],
    ['a&b=c', 'a%26b%3Dc'],
    ['%2e%2e', '%252e%252e'],
    ['gruppe-ö', 'gruppe-%C3%B6'],
    ['(a)_.-', '(a)_.-'],
  ])('encodes %s as %s in every segment', (name, encoded) => {
    const path = buildInstancePath(
      place,
      { ...request, ...Object.fromEntries(names.map((key) => [key, name])) },
      'stop',
    );

    expect(path).toBe(
      `/subscriptions/${encoded}/resourceGroups/${encoded}/providers/Vendor.Workloads/virtualInstances/${encoded}` +
        `/applicationInstances/${encoded}/stop?api-version=2023-04-01`,
    );
  });
});

describe('a stop', () => {
  test.each([
    [request],
    [{ ...request, softStopTimeoutSeconds: Number.MAX_SAFE_INTEGER }],
    [{ ...request, resourceGroupName: 'g' }],
    [{ ...request, resourceGroupName: 'g'.repeat(90) }],
    [{ ...request, virtualInstanceName: 'a b%..' }],
  ])('%# is valid', (sent) => {
    expect(validateAction(sent)).toEqual([]);
  });

  test.each([
    ['', 'empty'],
    ['.', 'dot segment'],
    ['..', 'dot segment'],
    ['a/b', 'slash'],
    ['../x', 'slash'],
    ['a\\b', 'backslash'],
    ['a\nb', 'control character'],
    ['a\u007f', 'control character'],
    ['a\u0085', 'control character'],
    ['a\ud800', 'well-formed'],
  ])('may have the name %j in no segment', (name, why) => {
    for (const key of names) {
      expect(validateAction({ ...request, [key]: name })).toEqual([
        {
          code: 'INVALID_INPUT',
          message: expect.stringMatching(new RegExp(`^\`${key}\` must .*${why}`)),
          path: ['input', key],
          upstream: null,
        },
      ]);
    }
  });

  test.each([
    [{ resourceGroupName: 'g'.repeat(91) }, 'resourceGroupName', '90'],
    [{ softStopTimeoutSeconds: -1 }, 'softStopTimeoutSeconds', '0 or more'],
  ])('%# beyond a limit is rejected with the limit', (change, key, limit) => {
    expect(validateAction({ ...request, ...change })).toEqual([
      {
        code: 'INVALID_INPUT',
        message: expect.stringContaining(limit),
        path: ['input', key],
        upstream: null,
      },
    ]);
  });

  test('reports all faults at once', () => {
    const faults = validateAction({
      action: 'stop',
      subscriptionId: '',
      resourceGroupName: '/'.repeat(91),
      virtualInstanceName: '..',
      applicationInstanceName: '\n',
      softStopTimeoutSeconds: -1,
    });

    expect(faults.map(({ path }) => path?.[1])).toEqual([
      'subscriptionId',
      'resourceGroupName',
      'virtualInstanceName',
      'applicationInstanceName',
      'resourceGroupName',
      'softStopTimeoutSeconds',
    ]);
  });
});

test('a start has no body', () => {
  const { softStopTimeoutSeconds: _, ...start } = { ...request, action: 'start' as const };

  expect(validateAction(start)).toEqual([]);
  expect(buildActionBody(start)).toBeUndefined();
  expect(buildInstancePath(place, start, 'start')).toContain('/app0/start?api-version=');
});
