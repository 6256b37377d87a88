import { describe, expect, test } from 'vitest';
import { buildInstancePath, validateInstanceAddress } from '../../../src/instances/instance-address.ts';

const place = { namespace: 'Vendor.Workloads', segment: 'virtualInstances', apiVersion: '2023-04-01' };
const address = {
  subscriptionId: 's',
  resourceGroupName: 'g',
  virtualInstanceName: 'v',
  applicationInstanceName: 'a',
};
const names = Object.keys(address) as (keyof typeof address)[];

describe('an address', () => {
  test.each([
    ['', 'must not be empty'],
    ['..', 'dot segment'],
  ])('that has %j for a name is told so', (value, says) => {
    for (const name of names)
      expect(validateInstanceAddress({ ...address, [name]: value })).toEqual([
        { name, message: expect.stringMatching(new RegExp(`^\`${name}\` .*${says}`)) },
      ]);
  });

  test('with several faults reports all of them', () => {
    expect(
      validateInstanceAddress({ ...address, subscriptionId: '', virtualInstanceName: '..' }),
    ).toHaveLength(2);
  });

  test.each([
    ['📬'.repeat(90), 0],
    ['📬'.repeat(91), 1],
  ])('has a resource group of 90 characters at most (%#)', (resourceGroupName, count) => {
    expect(validateInstanceAddress({ ...address, resourceGroupName })).toHaveLength(count);
  });
});

describe('a path', () => {
  test.each([
    [undefined, ''],
    ['stop', '/stop'],
  ] as const)('of an instance, action %s, ends with the api-version', (action, end) => {
    expect(buildInstancePath(place, address, action)).toBe(
      `/subscriptions/s/resourceGroups/g/providers/Vendor.Workloads/virtualInstances/v/applicationInstances/a${end}?api-version=2023-04-01`,
    );
  });

  test('has the same segments whatever the names, which can be decoded again', () => {
    const given = {
      ...address,
      resourceGroupName: 'a?b#c',
      virtualInstanceName: '%2F',
      subscriptionId: 'ä 📬',
    };
    const { pathname, search } = new URL(`http://up.test${buildInstancePath(place, given, 'stop')}`);
    const segments = pathname.split('/').map(decodeURIComponent);

    expect(search).toBe('?api-version=2023-04-01');
    expect([segments[2], segments[4], segments[8], segments[10]]).toEqual(['ä 📬', 'a?b#c', '%2F', 'a']);
    expect(segments).toHaveLength(12);
  });
});
