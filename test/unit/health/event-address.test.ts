import { describe, expect, test } from 'vitest';
import { addressFault, eventPath } from '../../../src/health/event-address.ts';

const place = { namespace: 'Vendor.Health', apiVersion: '2025-05-01' };

describe('the path of a fetch', () => {
  test('names the event below the tenant when no subscription is given', () => {
    expect(eventPath(place, { trackingId: 'BC_1-FXZ', subscriptionId: null })).toBe(
      '/providers/Vendor.Health/events/BC_1-FXZ/fetchEventDetails?api-version=2025-05-01',
    );
  });

  test('names the event below the subscription when one is given', () => {
    expect(eventPath(place, { trackingId: 'BC_1-FXZ', subscriptionId: 'sub-1' })).toBe(
      '/subscriptions/sub-1/providers/Vendor.Health/events/BC_1-FXZ/fetchEventDetails?api-version=2025-05-01',
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
  ])('encodes %s as %s, in either place', (name, encoded) => {
    const path = eventPath(place, { trackingId: name, subscriptionId: name });

    expect(path).toBe(
      `/subscriptions/${encoded}/providers/Vendor.Health/events/${encoded}/fetchEventDetails?api-version=2025-05-01`,
    );
  });
});

describe('an address', () => {
  test.each([['BC_1-FXZ'], ['a b'], ['...'], ['a.b'], ['%2F'], ['störung-📬']])('may hold %s', (name) => {
    expect(addressFault({ trackingId: name, subscriptionId: name })).toBeNull();
    expect(addressFault({ trackingId: name, subscriptionId: null })).toBeNull();
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
  ])('may not hold %j', (name, why) => {
    const trackingFault = addressFault({ trackingId: name, subscriptionId: null });
    const subscriptionFault = addressFault({ trackingId: 'BC_1-FXZ', subscriptionId: name });

    expect(trackingFault).toMatch(/^`trackingId` must .*Give it as/);
    expect(trackingFault).toContain(why);
    expect(subscriptionFault).toMatch(/^`subscriptionId` must .*leave it out/);
    expect(subscriptionFault).toContain(why);
  });

  test('may not call a subscription what the tenant is called', () => {
    expect(addressFault({ trackingId: 'BC_1-FXZ', subscriptionId: 'tenant' })).toContain('"tenant"');
    expect(addressFault({ trackingId: 'tenant', subscriptionId: null })).toBeNull();
  });
});
