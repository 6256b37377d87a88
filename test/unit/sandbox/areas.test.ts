import { expect, test } from 'vitest';
import { areaOf } from '../../../sandbox/journal.ts';

test.each([
  ['/api/v2.0/companies?$top=1', 'business'],
  ['/subscriptions?api-version=1', 'instances'],
  ['/subscriptions/s/providers/V/eventtypes/management/values?$filter=x', 'instances'],
  ['/subscriptions/s/providers/Vendor.Health/events?api-version=1', 'health'],
  ['/providers/Vendor.Health/events/SI_1-QRT', 'health'],
  ['/subscriptions/s/providers/V/availabilityStatuses/current', 'health'],
  ['/common/oauth2/token', 'sign-in'],
  ['/elsewhere', undefined],
])('%s belongs to %s', (target, area) => {
  expect(areaOf(target)).toBe(area);
});
