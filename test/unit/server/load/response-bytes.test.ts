import { describe, expect, test } from 'vitest';
import type { Caller } from '../../../../src/server/caller.ts';
import { createByteAccounts } from '../../../../src/server/load/unread-bytes.ts';

const callerFrom = (key: string): Caller => ({
  requestId: 'r',
  tokens: { business: null, management: null },
  verified: null,
  key,
});
const [one, other] = [callerFrom('192.0.2.1'), callerFrom('192.0.2.2')];

describe('bytes of pending responses', () => {
  test('are limited per caller until some have been sent', () => {
    const bytes = createByteAccounts({ maxBytes: 100, maxBytesPerCaller: 30 });
    const [first, second] = [bytes.openAccount(one), bytes.openAccount(one)];

    expect(first.reserve(20)).toBe(true);
    expect(second.reserve(20)).toBe(false);
    expect(second.reserve(10)).toBe(true);
    expect(bytes.openAccount(other).reserve(30)).toBe(true);
    first.release();
    expect(second.reserve(20)).toBe(true);
    expect(bytes.pendingBytes()).toBe(60);
  });

  test('are limited for the process', () => {
    const bytes = createByteAccounts({ maxBytes: 50, maxBytesPerCaller: 30 });

    expect(bytes.openAccount(one).reserve(30)).toBe(true);
    expect(bytes.openAccount(other).reserve(30)).toBe(false);
    expect(bytes.openAccount(other).reserve(20)).toBe(true);
  });

  test('are fewer once a response is compressed, and none once it is sent, in whichever order', () => {
    const bytes = createByteAccounts({ maxBytes: 50, maxBytesPerCaller: 30 });
    const [sent, closed] = [bytes.openAccount(one), bytes.openAccount(other)];
    sent.reserve(20);
    closed.reserve(30);

    sent.release(5);
    expect(bytes.pendingBytes()).toBe(35);
    closed.release();
    closed.release(5);
    expect(bytes.pendingBytes()).toBe(5);
    sent.release();
    expect(bytes.pendingBytes()).toBe(0);
  });
});
