import type { StoreChange } from '../business/store.ts';
import type { Subscription } from './subscription.ts';

/** One change as a receiver is told of it: where to look, and no data. */
export interface Item {
  readonly subscriptionId: string;
  readonly clientState: string;
  readonly expirationDateTime: string;
  readonly resource: string;
  readonly changeType: StoreChange['kind'] | 'collection';
  readonly lastModifiedDateTime: string;
}

/** What one subscription has to be told of. */
export interface Pending {
  note(change: StoreChange): void;
  /** One item for each change, or a single one for all of them where there are more than the limit. */
  items(subscription: Subscription, limit: number, wire: (time: string) => string): Item[];
}

/**
 * Collects the changes of a subscription. Updates go into what was last said of their record, unless that
 * was its end; a deletion is always an item of its own, as on the real service.
 */
export function createPending(): Pending {
  const changes: { id: string; kind: StoreChange['kind']; at: string }[] = [];
  const latest = new Map<string, (typeof changes)[number]>();

  return {
    note({ id, kind, at }) {
      const last = latest.get(id);
      if (kind === 'updated' && last && last.kind !== 'deleted') {
        last.at = at;
        return;
      }
      const change = { id, kind, at };
      changes.push(change);
      latest.set(id, change);
    },
    items({ id: subscriptionId, target, record }, limit, wire) {
      const set = `api/v2.0/companies(${target.companyId})/${target.set}`;
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
      // Just before the first, so that `gt` finds it, too.
      const since = new Date(Date.parse(times[0] ?? '') - 1).toISOString();
      const hasDeletions = changes.some(({ kind }) => kind === 'deleted');
      return [
        {
          ...common,
          // With a slash, as the samples of the real service have it here and not above.
          resource: `/${set}${hasDeletions ? '' : `?$filter=lastModifiedDateTime%20gt%20${wire(since)}`}`,
          changeType: 'collection',
          lastModifiedDateTime: wire(times.at(-1) ?? since),
        },
      ];
    },
  };
}
