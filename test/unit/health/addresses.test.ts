import { describe, expect, test } from 'vitest';
import { parseResourceId } from '../../../src/health/availability.ts';
import { buildEventPath, validateEventAddress } from '../../../src/health/event-address.ts';

const place = { namespace: 'Vendor.Health', apiVersion: '2025-05-01' };
const fetch = 'fetchEventDetails';

describe('the path of a fetch', () => {
  test.each([
    [null, fetch, '/providers/Vendor.Health/events/BC_1-FXZ/fetchEventDetails'],
    ['sub-1', fetch, '/subscriptions/sub-1/providers/Vendor.Health/events/BC_1-FXZ/fetchEventDetails'],
  ])('of the subscription %s and the operation %s is %s', (subscriptionId, operation, path) => {
    expect(buildEventPath(place, { trackingId: 'BC_1-FXZ', subscriptionId }, operation)).toBe(
      `${path}?api-version=2025-05-01`,
    );
  });

  test('encodes both names', () => {
    const path = buildEventPath(place, { trackingId: 'a?b', subscriptionId: '%2F' }, fetch);

    expect(path).toBe(
      '/subscriptions/%252F/providers/Vendor.Health/events/a%3Fb/fetchEventDetails?api-version=2025-05-01',
    );
  });
});

describe('an address', () => {
  test('is told which of its names cannot be part of a path, and why', () => {
    const trackingFault = validateEventAddress({ trackingId: 'a/b', subscriptionId: null });
    const subscriptionFault = validateEventAddress({ trackingId: 'BC_1-FXZ', subscriptionId: '..' });

    expect(trackingFault).toMatch(/^`trackingId` must .*slash.*Use the tracking id/);
    expect(subscriptionFault).toMatch(/^`subscriptionId` must .*dot segment.*omit it/);
    expect(validateEventAddress({ trackingId: 'a b', subscriptionId: '...' })).toBeNull();
  });

  test('may not use the scope of the tenant as a subscription', () => {
    expect(validateEventAddress({ trackingId: 'BC_1-FXZ', subscriptionId: 'tenant' })).toContain('"tenant"');
    expect(validateEventAddress({ trackingId: 'tenant', subscriptionId: null })).toBeNull();
  });
});

const group = '/subscriptions/s-1/resourceGroups/rg%20north';

test('an id is its path, encoded, with that of its resource group', () => {
  expect(
    parseResourceId('/subscriptions/s-1/resourceGroups/rg north/providers/Vendor.Compute/machines/a?b'),
  ).toEqual({
    path: `${group}/providers/Vendor.Compute/machines/a%3Fb`,
    group,
    key: '/subscriptions/s-1/resourcegroups/rg north/providers/vendor.compute/machines/a?b',
  });
});

test('ids that differ in case, encoding or a slash at the end have one key', () => {
  const ids = [
    '/subscriptions/s-1/resourceGroups/rg north/providers/V.C/machines/a/disks/b',
    '/SUBSCRIPTIONS/S-1/resourcegroups/RG%20North/Providers/v.c/Machines/A/disks/B/',
  ];

  expect(new Set(ids.map((id) => parseResourceId(id)?.key)).size).toBe(1);
});

test.for([
  '/subscriptions/s/resourceGroups/g',
  '/subscriptions/s/resourceGroups/g/providers/n/k/a/k',
  '/subscriptions/s/resourceGroups/g/providers/n/k/%2e%2e',
  '/subscriptions/s/resourceGroups/g/providers/n/k/a%2Fb',
  '//evil.example/subscriptions/s/resourceGroups/g/providers/n/k/a',
  `/subscriptions/s/resourceGroups/g/providers/n/k/${'a'.repeat(3_000)}`,
  '/subscriptions/s/resourceGroups/g/providers/n/k/\ud800',
])('%j is the id of no resource', (id) => {
  expect(parseResourceId(id)).toBeNull();
});
