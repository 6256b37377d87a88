import type { Dialect } from '../business/dialect.ts';
import type { StoreChange } from '../business/store.ts';
import type { Deliveries } from './deliveries.ts';
import { createDeliveries } from './deliveries.ts';
import type { Item, Pending } from './pending.ts';
import { createPending } from './pending.ts';
import { shakeHands } from './receiver.ts';
import type { WebhookOptions, WebhookSettings } from './settings.ts';
import { settingsOf } from './settings.ts';
import type { Subscription } from './subscription.ts';
import { timeWire } from './subscription.ts';

/** The subscriptions to changes of records, and what becomes of the changes. */
export interface Webhooks {
  settings(): WebhookSettings;
  /** Changes settings until the next `clear`. */
  set(settings: WebhookOptions): void;
  /** Those that have not expired, in the order they were made. */
  subscriptions(): readonly Subscription[];
  /** Adds one, or puts a renewed one in the place of the former. */
  put(subscription: Subscription): void;
  remove(id: string): void;
  /** A number that never comes twice, not even after a `clear`. */
  nextNumber(): number;
  /** Throws the refusal of a receiver that does not answer as one. */
  shakeHands(notificationUrl: string): Promise<void>;
  /** Hears of writes, and tells their subscribers a while later. */
  note(changes: readonly StoreChange[]): void;
  /** Tells at once what waits to be told; where nothing does, what was held back. */
  deliver(): void;
  readonly deliveries: Deliveries;
  /** Forgets everything, ends every request and every wait, and goes back to the first settings. */
  clear(): void;
}

export function createWebhooks(options: WebhookOptions, dialect: Dialect): Webhooks {
  const wire = timeWire(dialect);
  let settings = settingsOf(options);
  let subscriptions = new Map<string, Subscription>();
  let pending = new Map<string, Pending>();
  let timer: NodeJS.Timeout | undefined;
  let ending = new AbortController();
  let numbers = 0;

  const deliveries = createDeliveries({
    settings: () => settings,
    isAlive: (id) => living().has(id),
    remove,
  });

  /** Who has expired is gone as soon as anyone looks. */
  function living(): ReadonlyMap<string, Subscription> {
    const now = Date.now();
    for (const [id, { record }] of subscriptions) {
      if (Date.parse(String(record.values.expirationDateTime)) <= now) subscriptions.delete(id);
    }
    return subscriptions;
  }

  function remove(id: string): void {
    subscriptions.delete(id);
    pending.delete(id);
  }

  function pendingOf(id: string): Pending {
    const found = pending.get(id) ?? createPending();
    pending.set(id, found);
    return found;
  }

  function deliver(): void {
    clearTimeout(timer);
    timer = undefined;
    const byReceiver = new Map<string, Item[]>();
    for (const [id, subscription] of living()) {
      const items = pending.get(id)?.items(subscription, settings.collectionLimit, wire) ?? [];
      if (items.length === 0) continue;
      const url = String(subscription.record.values.notificationUrl);
      byReceiver.set(url, [...(byReceiver.get(url) ?? []), ...items]);
    }
    pending = new Map();
    for (const [url, items] of byReceiver) deliveries.send(url, items);
    if (byReceiver.size === 0) deliveries.release();
  }

  return {
    settings: () => settings,
    set(changed) {
      settings = { ...settings, ...changed };
    },
    subscriptions: () => [...living().values()],
    put(subscription) {
      subscriptions.set(subscription.id, subscription);
    },
    remove,
    nextNumber() {
      numbers += 1;
      return numbers;
    },
    shakeHands: (url) => shakeHands(url, settings.timeoutMs, ending.signal),
    note(changes) {
      if (changes.length === 0) return;
      for (const [id, { target }] of living()) {
        const heard = changes.filter(
          ({ companyId, set }) => companyId === target.companyId && set === target.set,
        );
        for (const change of heard) pendingOf(id).note(change);
      }
      if (pending.size > 0) timer ??= setTimeout(deliver, settings.delayMs).unref();
    },
    deliver,
    deliveries,
    clear() {
      clearTimeout(timer);
      timer = undefined;
      ending.abort();
      ending = new AbortController();
      settings = settingsOf(options);
      subscriptions = new Map();
      pending = new Map();
      deliveries.clear();
    },
  };
}
