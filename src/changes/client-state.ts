import { createHmac, timingSafeEqual } from 'node:crypto';
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
  /** Takes as long for a wrong word as for the right one. Words of older secrets are good, too. */
  isGenuine(target: Target, clientState: string): boolean;
}

/** Words derived from secrets: the first makes them, all prove them. `address` is where notifications go. */
export function createClientStates(secrets: readonly string[], address: string): ClientStates {
  const stateOf = (secret: string, { companyId, type }: Target) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['record changes', address, companyId, type]))
      .digest('base64url');

  return {
    of: (target) => stateOf(secrets[0] ?? '', target),
    isGenuine(target, clientState) {
      const given = digest(clientState);
      // Every secret is tried, whichever fits.
      return secrets.filter((secret) => timingSafeEqual(digest(stateOf(secret, target)), given)).length > 0;
    },
  };
}

// Of one length, as a comparison in constant time needs.
const digest = (text: string) => createHmac('sha256', 'client state').update(text).digest();
