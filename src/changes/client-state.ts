import { createHmac, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { RecordType } from '../generated/graphql.ts';

/** The records of one kind in one company: what can be subscribed to. */
export interface Target {
  readonly companyId: string;
  readonly type: RecordType;
}

/** The one word by which a notification proves that it comes from where the layer has subscribed. */
export interface ClientStates {
  /** What to subscribe with: the same on every replica and after every restart. */
  of(target: Target): string;
  /** Compares in constant time. Words of older secrets are good, too. */
  isGenuine(target: Target, clientState: string): boolean;
}

// Far more subscriptions than an upstream holds for one receiver.
const maxKept = 1_000;
// SHA-256 in base64url, without padding. It is no secret.
const stateLength = 43;

/** Words derived from secrets: the first makes them, all prove them. `address` is where notifications go. */
export function createClientStates(secrets: readonly string[], address: string): ClientStates {
  // By target: one for each secret, in their order.
  const kept = new LRUCache<string, readonly Buffer[]>({ max: maxKept });
  const keyOf = ({ companyId, type }: Target) => `${companyId} ${type}`;
  const stateOf = (secret: string, { companyId, type }: Target) =>
    Buffer.from(
      createHmac('sha256', secret)
        .update(JSON.stringify(['record changes', address, companyId, type]))
        .digest('base64url'),
    );
  const expectedFor = (target: Target): readonly Buffer[] =>
    kept.get(keyOf(target)) ?? secrets.map((secret) => stateOf(secret, target));

  return {
    of(target) {
      const expected = expectedFor(target);
      kept.set(keyOf(target), expected);
      return (expected[0] as Buffer).toString();
    },
    isGenuine(target, clientState) {
      const given = Buffer.from(clientState);
      if (given.length !== stateLength) return false;
      const expected = expectedFor(target);
      // Every secret is tried, whichever fits.
      const isGenuine = expected.filter((state) => timingSafeEqual(state, given)).length > 0;
      // A stranger can name any number of targets: only those of real subscriptions are kept.
      if (isGenuine) kept.set(keyOf(target), expected);
      return isGenuine;
    },
  };
}
