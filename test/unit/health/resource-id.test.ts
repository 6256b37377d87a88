import { expect, test } from 'vitest';
import { parseResourceId } from '../../../src/health/availability.ts';

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
  '',
  '/',
  'subscriptions/s/resourceGroups/g/providers/n/k/a',
  '/subscriptions/s/resourceGroups/g',
  '/subscriptions/s/resourceGroups/g/providers/n/k',
  '/subscriptions/s/resourceGroups/g/providers/n/k/a/k',
  '/subscriptions/s/resourceGroups/g/providers/n/k/..',
  '/subscriptions/s/resourceGroups/g/providers/n/k/%2e%2e',
  '/subscriptions/s/resourceGroups/g/providers/n/k/a%2Fb',
  '/subscriptions/s/resourceGroups/g/providers/n/k/a\\b',
  '/subscriptions//resourceGroups/g/providers/n/k/a',
  '/providers/n/k/a',
  'https://upstream.example/subscriptions/s/resourceGroups/g/providers/n/k/a',
  '//evil.example/subscriptions/s/resourceGroups/g/providers/n/k/a',
  `/subscriptions/s/resourceGroups/g/providers/n/k/${'a'.repeat(3_000)}`,
  '/subscriptions/s/resourceGroups/g/providers/n/k/\ud800',
])('%j is the id of no resource', (id) => {
  expect(parseResourceId(id)).toBeNull();
});
