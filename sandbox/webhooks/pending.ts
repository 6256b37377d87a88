import type { StoreChange } from '../business/store.ts';
import type { Subscription } from './subscription.ts';

/** A notification of a change. It holds the resource, but no data. */
export interface Notification {
  readonly subscriptionId: string;
  readonly clientState: string;
  readonly expirationDateTime: string;
  readonly resource: string;
  readonly changeType: StoreChange['kind'] | 'collection';
  readonly lastModifiedDateTime: string;
}

/** The changes of a subscription that are not delivered yet. */
export interface PendingChanges {
  add(change: StoreChange): void;
  /** One notification per change, or a single one for all when there are more than the limit. */
  notifications(subscription: Subscription, limit: number, wire: (time: string) => string): Notification[];
}

/**
 * Collects the changes of a subscription. An update is merged into the previous change of its record, unless
 * that is a delete. A delete is always a notification of its own, as on the real service.
 */
export function createPendingChanges(): PendingChanges {
  const changes: { id: string; kind: StoreChange['kind']; at: string }[] = [];
  const latest = new Map<string, (typeof changes)[number]>();

  return {
    add({ id, kind, at }) {
      const last = latest.get(id);
      if (kind === 'updated' && last && last.kind !== 'deleted') {
        last.at = at;
        return;
      }
      const change = { id, kind, at };
      changes.push(change);
      latest.set(id, change);
    },
    notifications({ id: subscriptionId, target, record }, limit, wire) {
      const set = `api/${target.route}/companies(${target.companyId})/${target.set}`;
      const common = {
        subscriptionId,
        clientState: String(record.values.clientState),
        expirationDateTime: wire(String(record.values.expirationDateTime)),
      };
      if (changes.length <= limit) {
        return changes.map(({ id, kind, at }) => ({
          ...common,
          resource: `${set}(${id})`,
          changeType: kind,
          lastModifiedDateTime: wire(at),
        }));
      }
      const times = changes.map(({ at }) => at).sort();
      // Just before the first change, so that `gt` includes it.
      const since = new Date(Date.parse(times[0] ?? '') - 1).toISOString();
      const hasDeletions = changes.some(({ kind }) => kind === 'deleted');
      return [
        {
          ...common,
          // With a leading slash here but not above, as in the samples of the real service.
          resource: `/${set}${hasDeletions ? '' : `?$filter=lastModifiedDateTime%20gt%20${wire(since)}`}`,
          changeType: 'collection',
          lastModifiedDateTime: wire(times.at(-1) ?? since),
        },
      ];
    },
  };
}
