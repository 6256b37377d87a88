import { LRUCache } from 'lru-cache';
import type { RecordType } from '../generated/graphql.ts';
import { computeMac, matchesAny } from '../runtime/keyring.ts';

/** What the upstream can be subscribed to: the records of one type in one company. */
export interface SubscriptionTarget {
  readonly companyId: string;
  readonly type: RecordType;
}

/** The values of `clientState`, by which a notification proves that it belongs to a subscription of Tributary. */
export interface ClientStates {
  /** The value to subscribe with: the same on every replica and after every restart. */
  derive(target: SubscriptionTarget): string;
  /** Compares in constant time. Values of older secrets are genuine, too. */
  isGenuine(target: SubscriptionTarget, clientState: string): boolean;
}

// Far more subscriptions than an upstream allows one receiver.
const maxCachedTargets = 1_000;
// SHA-256 in base64url, without padding.
const clientStateLength = 43;

/** Values are derived from secrets: the first derives them, all prove them. `address` is where notifications go. */
export function createClientStates(secrets: readonly string[], address: string): ClientStates {
  // By target: one value for each secret, in their order.
  const cache = new LRUCache<string, readonly string[]>({ max: maxCachedTargets });
  const keyOf = ({ companyId, type }: SubscriptionTarget) => `${companyId} ${type}`;
  const valuesFor = (target: SubscriptionTarget): readonly string[] => {
    const cached = cache.get(keyOf(target));
    if (cached) return cached;
    const text = JSON.stringify(['record changes', address, target.companyId, target.type]);
    return secrets.map((secret) => computeMac(secret, text));
  };

  return {
    derive(target) {
      const values = valuesFor(target);
      cache.set(keyOf(target), values);
      return values[0] as string;
    },
    isGenuine(target, clientState) {
      // Saves the HMAC for most forged values.
      if (Buffer.byteLength(clientState) !== clientStateLength) return false;
      const values = valuesFor(target);
      const isGenuine = matchesAny(clientState, values);
      // A forger can name any number of targets: only real subscriptions are cached.
      if (isGenuine) cache.set(keyOf(target), values);
      return isGenuine;
    },
  };
}
