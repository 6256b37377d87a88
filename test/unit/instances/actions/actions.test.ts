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
    expect(validateAction(sent, place.apiVersion)).toEqual([]);
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
      expect(validateAction({ ...request, [key]: name }, place.apiVersion)).toEqual([
        {
          code: 'INVALID_INPUT',
          message: expect.stringMatching(new RegExp(`^\`${key}\` must .*${why}`)),
          path: ['input', 'instance', 'names', key],
          upstream: null,
        },
      ]);
    }
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

  test('reports all faults at once', () => {
    const faults = validateAction(
      {
        action: 'stop',
        subscriptionId: '',
        resourceGroupName: '/'.repeat(91),
        virtualInstanceName: '..',
        applicationInstanceName: '\n',
        softStopTimeoutSeconds: -1,
      },
      place.apiVersion,
    );

    expect(faults.map(({ path }) => path?.at(-1))).toEqual([
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
