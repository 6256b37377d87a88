import type { Dialect } from '../business/dialect.ts';
import type { StoreChange } from '../business/store.ts';
import { jsonResponse } from '../http.ts';
import {
  type CheckedFields,
  type ControlRoutes,
  commandRoute,
  isCount,
  isJsonObject,
  isOneOf,
  isText,
} from '../json-checks.ts';
import { createDeliveries, deliveryFaults, type Notification, notificationsOf } from './deliveries.ts';
import {
  isHttpUrl,
  usualWebhookSettings,
  validateReceiver,
  type WebhookOptions,
  type WebhookSettings,
  webhookChecks,
} from './receiver.ts';
import type { Subscription } from './subscription.ts';

/** The webhook subscriptions and their notifications. */
export type Webhooks = ReturnType<typeof createWebhooks>;

export function createWebhooks(options: WebhookOptions, dialect: Dialect) {
  const initial: WebhookSettings = { ...usualWebhookSettings, ...options };
  let settings = initial;
  let subscriptions = new Map<string, Subscription>();
  /** The changes that are not delivered yet, by subscription. */
  let pending = new Map<string, StoreChange[]>();
  let timer: NodeJS.Timeout | undefined;
  let abortController = new AbortController();
  let lastNumber = 0;

  const isActive = (id: string) => activeSubscriptions().has(id);
  const deliveries = createDeliveries(() => settings, isActive, remove);

  /** Removes expired subscriptions. */
  function activeSubscriptions(): ReadonlyMap<string, Subscription> {
    const now = Date.now();
    for (const [id, { values }] of subscriptions) {
      if (Date.parse(values.expirationDateTime) <= now) subscriptions.delete(id);
    }
    return subscriptions;
  }

  function remove(id: string): void {
    subscriptions.delete(id);
    pending.delete(id);
  }

  function deliver(): void {
    clearTimeout(timer);
    timer = undefined;
    const byReceiver = new Map<string, Notification[]>();
    for (const [id, subscription] of activeSubscriptions()) {
      const changes = pending.get(id);
      if (!changes) continue;
      const items = notificationsOf(subscription, changes, settings.collectionLimit, dialect.formatTime);
      const url = subscription.values.notificationUrl;
      byReceiver.set(url, [...(byReceiver.get(url) ?? []), ...items]);
    }
    pending = new Map();
    for (const [url, items] of byReceiver) deliveries.send(url, items);
    if (byReceiver.size === 0) deliveries.release();
  }

  return {
    settings: (): WebhookSettings => settings,
    /** Changes settings until the next `clear`. */
    set(changed: WebhookOptions): void {
      settings = { ...settings, ...changed };
    },
    /** Subscriptions that have not expired. */
    subscriptions: (): readonly Subscription[] => [...activeSubscriptions().values()],
    /** Adds or replaces a subscription. */
    put(subscription: Subscription): void {
      subscriptions.set(subscription.id, subscription);
    },
    remove,
    /** Returns a unique number, also after a `clear`. */
    nextNumber(): number {
      lastNumber += 1;
      return lastNumber;
    },
    /** Throws an `ApiError` when the receiver does not respond as one. */
    validateReceiver: (url: string) => validateReceiver(url, settings.timeoutMs, abortController.signal),
    /** Queues changes for delivery to their subscribers. */
    addChanges(changes: readonly StoreChange[]): void {
      if (changes.length === 0) return;
      for (const [id, { target }] of activeSubscriptions()) {
        const matching = changes.filter(
          ({ companyId, set }) => companyId === target.companyId && set === target.set,
        );
        if (matching.length > 0) pending.set(id, [...(pending.get(id) ?? []), ...matching]);
      }
      if (pending.size > 0) timer ??= setTimeout(deliver, settings.delayMs).unref();
    },
    /** Sends all queued notifications immediately or, when there are none, those held back by a fault. */
    deliver,
    deliveries,
    /** Removes all subscriptions, aborts all requests and restores the initial settings. */
    clear(): void {
      clearTimeout(timer);
      timer = undefined;
      abortController.abort();
      abortController = new AbortController();
      settings = initial;
      subscriptions = new Map();
      pending = new Map();
      deliveries.clear();
    },
  };
}

/** Control routes for webhooks. */
export function webhookRoutes(webhooks: Webhooks): ControlRoutes {
  return {
    'GET /sandbox/webhooks': {
      description: 'The settings, all subscriptions, and the requests to their receivers.',
      handle: () =>
        jsonResponse(200, {
          settings: webhooks.settings(),
          subscriptions: webhooks
            .subscriptions()
            .map(({ id, owner, etag, values }) => ({ owner, etag, subscriptionId: id, ...values })),
          deliveries: webhooks.deliveries.list(),
        }),
    },
    'POST /sandbox/webhooks': commandRoute(
      'webhooks',
      `{"delayMs": 50} sets ${Object.keys(webhookChecks).join(', ')}; {"deliver": "now"} sends queued notifications immediately; {"drop": "<id>"} removes a subscription; {"send": {"notificationUrl": "http://…", "body": {"value": []}}} forges a notification; {"fault": "twice", "times": 1} adds a fault for the next deliveries: ${deliveryFaults.join(', ')}`,
      commandChecks,
      (fields) => applyWebhookCommands(fields, webhooks),
    ),
  };
}

interface ForgedNotification {
  readonly notificationUrl: string;
  /** A string is sent as it is. */
  readonly body: unknown;
}

const commandChecks = {
  ...webhookChecks,
  fault: isOneOf(...deliveryFaults),
  times: isCount,
  drop: isText,
  send: (value: unknown): value is ForgedNotification =>
    isJsonObject(value) && isHttpUrl(String(value.notificationUrl)) && value.body !== undefined,
  deliver: isOneOf('now'),
};

/** Executes the commands of a body in this order. */
function applyWebhookCommands(fields: CheckedFields<typeof commandChecks>, webhooks: Webhooks): void {
  const { fault, times = 1, drop, send, deliver, ...settings } = fields;
  const { deliveries } = webhooks;
  webhooks.set(settings);
  if (fault) deliveries.addFault(fault, times);
  if (drop !== undefined) webhooks.remove(drop);
  if (send)
    deliveries.forge(
      send.notificationUrl,
      typeof send.body === 'string' ? send.body : JSON.stringify(send.body),
    );
  if (deliver) webhooks.deliver();
}
