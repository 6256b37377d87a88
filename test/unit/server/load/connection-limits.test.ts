import { expect, test } from 'vitest';
import type { Caller } from '../../../../src/server/caller.ts';
import { createConnectionLimiter } from '../../../../src/server/load/connection-limits.ts';

const caller = (token: string | null, subject?: string): Caller => ({
  requestId: 'r',
  tokens: { business: token, management: token },
  key: subject ?? '127.0.0.1',
  verified:
    subject === undefined
      ? null
      : {
          issuer: 'i',
          subject,
          key: subject,
          scopes: new Set(),
          expiresAt: Number.MAX_SAFE_INTEGER,
        },
});

test('limits open connections in total, and a released one can be acquired again', () => {
  const connections = createConnectionLimiter({ maxSockets: 2, maxSocketsPerCaller: 9 }, () => {});
  const [first] = [
    connections.acquire('sockets', '127.0.0.1'),
    connections.acquire('eventStreams', '127.0.0.1'),
  ];

  expect([connections.countOpen('sockets'), connections.countOpen('eventStreams')]).toEqual([1, 1]);
  expect(connections.acquire('sockets', '127.0.0.1')).toBeNull();
  first?.();
  first?.();
  expect(connections.countOpen('sockets')).toBe(0);
  expect(connections.acquire('eventStreams', '127.0.0.1')).not.toBeNull();
  expect(connections.acquire('sockets', '127.0.0.1')).toBeNull();
});

test("counts a verified caller's connections together, whatever its token", () => {
  const connections = createConnectionLimiter({ maxSockets: 9, maxSocketsPerCaller: 1 }, () => {});

  expect(connections.acquireForCaller(caller('a', 'ada'))).not.toBeNull();
  expect(connections.acquireForCaller(caller('b', 'ada'))).toBeNull();
  expect(connections.acquireForCaller(caller('a', 'grace'))).not.toBeNull();
});

test('keeps the last tenth for addresses that have less than it, so that invented tokens take no place of others', () => {
  const connections = createConnectionLimiter({ maxSockets: 100, maxSocketsPerCaller: 10 }, () => {});
  const open = (address: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      connections.acquireEventStream({ ...caller(`${address} ${at}`), key: address }),
    ).filter((release) => release !== null);
  const flood = open('10.0.0.1', 200);
  expect(flood).toHaveLength(90);

  expect(open('10.0.0.2', 8)).toHaveLength(8);
  expect(open('10.0.0.1', 1)).toHaveLength(0);
  expect(connections.acquire('sockets', '10.0.0.1')).toBeNull();
  expect(connections.acquire('sockets', '10.0.0.3')).not.toBeNull();
  for (const release of flood) release();
  expect(open('10.0.0.1', 50)).toHaveLength(50);
});
