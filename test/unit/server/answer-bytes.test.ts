import { describe, expect, test } from 'vitest';
import { createAnswerBytes } from '../../../src/server/answer-bytes.ts';
import type { Caller } from '../../../src/server/caller.ts';

const callerFrom = (peerAddress: string): Caller => ({
  requestId: 'r',
  tokens: { business: null, management: null },
  verified: null,
  peerAddress,
});
const [one, other] = [callerFrom('192.0.2.1'), callerFrom('192.0.2.2')];

describe('bytes of answers on their way', () => {
  test('are bounded for one caller, and its others wait until some are taken', () => {
    const bytes = createAnswerBytes({ most: 100, mostOfCaller: 30 });
    const [first, second] = [bytes.account(one), bytes.account(one)];

    expect(first.take(20)).toBe(true);
    expect(second.take(20)).toBe(false);
    expect(second.take(10)).toBe(true);
    expect(bytes.account(other).take(30)).toBe(true);
    first.release();
    expect(second.take(20)).toBe(true);
    expect(bytes.underWay()).toBe(60);
  });

  test('are bounded in the process, whoever has them', () => {
    const bytes = createAnswerBytes({ most: 50, mostOfCaller: 30 });

    expect(bytes.account(one).take(30)).toBe(true);
    expect(bytes.account(other).take(30)).toBe(false);
    expect(bytes.account(other).take(20)).toBe(true);
  });

  test('are given back once', () => {
    const bytes = createAnswerBytes({ most: 50, mostOfCaller: 30 });
    const account = bytes.account(one);
    account.take(10);
    account.take(15);

    account.release();
    account.release();

    expect(bytes.underWay()).toBe(0);
  });
});
