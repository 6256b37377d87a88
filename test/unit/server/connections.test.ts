import { expect, test } from 'vitest';
import type { Caller } from '../../../src/server/caller.ts';
import { createConnections } from '../../../src/server/connections.ts';

const caller = (token: string | null, subject?: string): Caller => ({
  requestId: 'r',
  tokens: { business: token, management: token },
  peerAddress: '127.0.0.1',
  verified:
    subject === undefined
      ? null
      : { issuer: 'i', subject, scopes: new Set(), expiresAt: Number.MAX_SAFE_INTEGER },
});

test('as many are open as may be, and a place given back is there for the next', () => {
  const connections = createConnections({ maxSockets: 2, maxSocketsPerCaller: 9 });
  const [first] = [connections.open('sockets'), connections.open('eventStreams')];

  expect([connections.count('sockets'), connections.count('eventStreams')]).toEqual([1, 1]);
  expect(connections.open('sockets')).toBeNull();
  first?.();
  first?.();
  expect(connections.count('sockets')).toBe(0);
  expect(connections.open('eventStreams')).not.toBeNull();
  expect(connections.open('sockets')).toBeNull();
});

test('each caller has places of its own, by its token', () => {
  const connections = createConnections({ maxSockets: 9, maxSocketsPerCaller: 1 });
  const own = connections.openFor(caller('a'));

  expect(own).not.toBeNull();
  expect(connections.openFor(caller('a'))).toBeNull();
  expect(connections.openFor(caller('b'))).not.toBeNull();
  expect(connections.openFor(caller(null))).not.toBeNull();
  expect(connections.openFor(caller(null))).toBeNull();
  own?.();
  expect(connections.openFor(caller('a'))).not.toBeNull();
});

test('a verified caller has the same places with every token', () => {
  const connections = createConnections({ maxSockets: 9, maxSocketsPerCaller: 1 });

  expect(connections.openFor(caller('a', 'ada'))).not.toBeNull();
  expect(connections.openFor(caller('b', 'ada'))).toBeNull();
  expect(connections.openFor(caller('a', 'grace'))).not.toBeNull();
});
