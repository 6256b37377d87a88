import { describe, expect, test } from 'vitest';
import { buildEventPath, validateEventAddress } from '../../../src/health/event-address.ts';

const place = { namespace: 'Vendor.Health', apiVersion: '2025-05-01' };
const fetch = 'fetchEventDetails';

describe('the path of a fetch', () => {
  test('is below the tenant without a subscription', () => {
    expect(buildEventPath(place, { trackingId: 'BC_1-FXZ', subscriptionId: null }, fetch)).toBe(
      '/providers/Vendor.Health/events/BC_1-FXZ/fetchEventDetails?api-version=2025-05-01',
    );
  });

  test('is below the subscription, where there is one', () => {
    expect(buildEventPath(place, { trackingId: 'BC_1-FXZ', subscriptionId: 'sub-1' }, fetch)).toBe(
      '/subscriptions/sub-1/providers/Vendor.Health/events/BC_1-FXZ/fetchEventDetails?api-version=2025-05-01',
    );
  });

  test('is that of the event itself without an operation', () => {
    expect(buildEventPath(place, { trackingId: 'BC_1-FXZ', subscriptionId: null }, null)).toBe(
      '/providers/Vendor.Health/events/BC_1-FXZ?api-version=2025-05-01',
    );
  });

  test.each([
    ['a b', 'a%20b'],
    ['a?api-version=1', 'a%3Fapi-version%3D1'],
    ['a#b', 'a%23b'],
    ['a%2Fb', 'a%252Fb'],
    ['%2e%2e', '%252e%252e'],
    ['a;b&c', 'a%3Bb%26c'],
    ['störung-📬', 'st%C3%B6rung-%F0%9F%93%AC'],
  ])('encodes %s as %s in both names', (name, encoded) => {
    const path = buildEventPath(place, { trackingId: name, subscriptionId: name }, fetch);

    expect(path).toBe(
      `/subscriptions/${encoded}/providers/Vendor.Health/events/${encoded}/fetchEventDetails?api-version=2025-05-01`,
    );
  });
});

describe('an address', () => {
  test.each([['BC_1-FXZ'], ['a b'], ['...'], ['a.b'], ['%2F'], ['störung-📬']])('may contain %s', (name) => {
    expect(validateEventAddress({ trackingId: name, subscriptionId: name })).toBeNull();
    expect(validateEventAddress({ trackingId: name, subscriptionId: null })).toBeNull();
  });

  test.each([
    ['', 'must not be empty'],
    ['.', 'dot segment'],
    ['..', 'dot segment'],
    ['a/b', 'slash'],
    ['../x', 'slash'],
    ['a\\b', 'backslash'],
    ['a\u0000', 'control character'],
    ['a\r\nb', 'control character'],
    ['\u007f', 'control character'],
    ['a\u0085', 'control character'],
    ['a\ud800', 'well-formed'],
    ['\udc00b', 'well-formed'],
  ])('may not contain %j', (name, why) => {
    const trackingFault = validateEventAddress({ trackingId: name, subscriptionId: null });
    const subscriptionFault = validateEventAddress({ trackingId: 'BC_1-FXZ', subscriptionId: name });

    expect(trackingFault).toMatch(/^`trackingId` must .*Use the tracking id/);
    expect(trackingFault).toContain(why);
    expect(subscriptionFault).toMatch(/^`subscriptionId` must .*omit it/);
    expect(subscriptionFault).toContain(why);
  });

  test('may not use the scope of the tenant as a subscription', () => {
    expect(validateEventAddress({ trackingId: 'BC_1-FXZ', subscriptionId: 'tenant' })).toContain('"tenant"');
    expect(validateEventAddress({ trackingId: 'tenant', subscriptionId: null })).toBeNull();
  });
});
