import type { Dialect } from '../business/dialect.ts';
import type { StoreChange } from '../business/store.ts';
import type { Deliveries, Notification, PendingChanges } from './deliveries.ts';
import { createDeliveries, createPendingChanges } from './deliveries.ts';
import { validateReceiver } from './receiver.ts';
import type { WebhookOptions, WebhookSettings } from './settings.ts';
import { withDefaultSettings } from './settings.ts';
import type { Subscription } from './subscription.ts';
import { timeFormat } from './subscription.ts';

/** The webhook subscriptions and their notifications. */
export interface Webhooks {
  settings(): WebhookSettings;
  /** Changes settings until the next `clear`. */
  set(settings: WebhookOptions): void;
  /** Subscriptions that have not expired. */
  subscriptions(): readonly Subscription[];
  /** Adds or replaces a subscription. */
  put(subscription: Subscription): void;
  remove(id: string): void;
  /** Returns a unique number, also after a `clear`. */
  nextNumber(): number;
  /** Throws an `ApiError` when the receiver does not respond as one. */
  validateReceiver(notificationUrl: string): Promise<void>;
  /** Queues changes for delivery to their subscribers. */
  addChanges(changes: readonly StoreChange[]): void;
  /** Sends all queued notifications immediately or, when there are none, those held back by a fault. */
  deliver(): void;
  readonly deliveries: Deliveries;
  /** Removes all subscriptions, aborts all requests and restores the initial settings. */
  clear(): void;
}

export function createWebhooks(options: WebhookOptions, dialect: Dialect): Webhooks {
  const formatTime = timeFormat(dialect);
  let settings = withDefaultSettings(options);
  let subscriptions = new Map<string, Subscription>();
  let pending = new Map<string, PendingChanges>();
  let timer: NodeJS.Timeout | undefined;
  let abortController = new AbortController();
  let lastNumber = 0;

  const deliveries = createDeliveries({
    settings: () => settings,
    isActive: (id) => activeSubscriptions().has(id),
    remove,
  });

  /** Removes expired subscriptions. */
  function activeSubscriptions(): ReadonlyMap<string, Subscription> {
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

  function pendingOf(id: string): PendingChanges {
    const found = pending.get(id) ?? createPendingChanges();
    pending.set(id, found);
    return found;
  }

  function deliver(): void {
    clearTimeout(timer);
    timer = undefined;
    const byReceiver = new Map<string, Notification[]>();
    for (const [id, subscription] of activeSubscriptions()) {
      const items = pending.get(id)?.notifications(subscription, settings.collectionLimit, formatTime) ?? [];
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
    subscriptions: () => [...activeSubscriptions().values()],
    put(subscription) {
      subscriptions.set(subscription.id, subscription);
    },
    remove,
    nextNumber() {
      lastNumber += 1;
      return lastNumber;
    },
    validateReceiver: (url) => validateReceiver(url, settings.timeoutMs, abortController.signal),
    addChanges(changes) {
      if (changes.length === 0) return;
      for (const [id, { target }] of activeSubscriptions()) {
        const matching = changes.filter(
          ({ companyId, set }) => companyId === target.companyId && set === target.set,
        );
        for (const change of matching) pendingOf(id).add(change);
      }
      if (pending.size > 0) timer ??= setTimeout(deliver, settings.delayMs).unref();
    },
    deliver,
    deliveries,
    clear() {
      clearTimeout(timer);
      timer = undefined;
      abortController.abort();
      abortController = new AbortController();
      settings = withDefaultSettings(options);
      subscriptions = new Map();
      pending = new Map();
      deliveries.clear();
    },
  };
}
