import type { StoreChange } from '../business/store.ts';
import { derivedGuid } from '../seeded.ts';
import { postToReceiver, type WebhookSettings } from './receiver.ts';
import type { Subscription } from './subscription.ts';

/** Faults of a delivery: sent twice, after the next, or never. */
export const deliveryFaults = ['twice', 'afterNext', 'never'] as const;
export type DeliveryFault = (typeof deliveryFaults)[number];

/** A request to a receiver with its attempts. */
export interface Delivery {
  readonly id: number;
  readonly notificationUrl: string;
  body: string;
  /** Empty for a forged or repeated request, whose failure does not end subscriptions. */
  readonly notifications: readonly Notification[];
  readonly copyOf?: number;
  readonly fault?: DeliveryFault;
  readonly attempts: { readonly at: string; readonly status: number }[];
  state: 'sending' | 'held' | 'retrying' | 'delivered' | 'refused' | 'given up' | 'dropped' | 'lost';
}

const maxDeliveries = 1_000;

/** The requests to receivers. `remove` is called when one rejects a request or does not respond in time. */
export function createDeliveries(
  settings: () => WebhookSettings,
  isActive: (subscriptionId: string) => boolean,
  remove: (subscriptionId: string) => void,
) {
  let deliveries: Delivery[] = [];
  let faults: { readonly fault: DeliveryFault; times: number }[] = [];
  let timers = new Set<NodeJS.Timeout>();
  let abortController = new AbortController();
  let lastId = 0;

  type Parts = Pick<Delivery, 'notificationUrl' | 'body' | 'notifications' | 'state'> & Partial<Delivery>;

  function addDelivery(parts: Parts): Delivery {
    lastId += 1;
    const delivery: Delivery = { id: lastId, attempts: [], ...parts };
    deliveries.push(delivery);
    if (deliveries.length > maxDeliveries) deliveries.shift();
    return delivery;
  }

  function resend({ id, notificationUrl, body }: Delivery): void {
    start(addDelivery({ notificationUrl, body, notifications: [], copyOf: id, state: 'sending' }));
  }

  function start(delivery: Delivery): void {
    void attempt(delivery, abortController.signal);
  }

  async function attempt(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { id, notificationUrl, notifications: items, attempts } = delivery;
    if (items.length > 0) {
      const value = items.filter(({ subscriptionId }) => isActive(subscriptionId));
      delivery.body = JSON.stringify({ value });
      delivery.state = 'dropped';
      if (value.length === 0) return;
    }
    delivery.state = 'sending';
    const at = new Date().toISOString();
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      clientrequestid: derivedGuid(`delivery:${id}`),
      'x-ms-correlation-id': derivedGuid(`delivery:${id}:${attempts.length}`),
    };
    const { body } = delivery;
    const { status } = await postToReceiver(notificationUrl, settings().timeoutMs, signal, { headers, body });
    if (signal.aborted) return;
    attempts.push({ at, status });
    handleStatus(delivery, status);
  }

  function handleStatus(delivery: Delivery, status: number): void {
    const { notifications: items, attempts } = delivery;
    if (status >= 200 && status < 300) {
      delivery.state = 'delivered';
      if (delivery.fault === 'twice') resend(delivery);
      release();
      return;
    }
    const isTransient = status === 0 || status === 408 || status === 429 || status >= 500;
    const pause = isTransient ? settings().retryPausesMs[attempts.length - 1] : undefined;
    if (items.length === 0 || pause === undefined) {
      delivery.state = isTransient ? 'given up' : 'refused';
      for (const { subscriptionId } of items) remove(subscriptionId);
      return;
    }
    delivery.state = 'retrying';
    const timer = setTimeout(() => {
      timers.delete(timer);
      start(delivery);
    }, pause);
    timers.add(timer.unref());
  }

  function takeFault(): DeliveryFault | undefined {
    const first = faults.find(({ times }) => times > 0);
    if (first) first.times -= 1;
    return first?.fault;
  }

  function release(): void {
    for (const delivery of deliveries.filter(({ state }) => state === 'held')) start(delivery);
  }

  return {
    /** Sends notifications, with a fault if one is set. */
    send(notificationUrl: string, items: readonly Notification[]): void {
      const fault = takeFault();
      const states = { never: 'lost', afterNext: 'held' } as const;
      const state = fault === 'never' || fault === 'afterNext' ? states[fault] : 'sending';
      const body = JSON.stringify({ value: items });
      const delivery = addDelivery({
        notificationUrl,
        body,
        notifications: items,
        state,
        ...(fault && { fault }),
      });
      if (state === 'sending') start(delivery);
    },
    /** Sends any body to any URL, once. */
    forge(notificationUrl: string, body: string): void {
      start(addDelivery({ notificationUrl, body, notifications: [], state: 'sending' }));
    },
    /** Adds a fault for the next requests. */
    addFault(fault: DeliveryFault, times: number): void {
      faults = faults.filter((one) => one.fault !== fault);
      faults.push({ fault, times });
    },
    /** Sends the requests that are held back. */
    release,
    list: (): readonly Omit<Delivery, 'notifications'>[] =>
      deliveries.map(({ notifications: _items, ...shown }) => shown),
    /** Removes all requests and aborts those that run. */
    clear(): void {
      abortController.abort();
      abortController = new AbortController();
      for (const timer of timers) clearTimeout(timer);
      timers = new Set();
      deliveries = [];
      faults = [];
    },
  };
}

/** A notification of a change. It holds the resource, but no data. */
export interface Notification {
  readonly subscriptionId: string;
  readonly clientState: string;
  readonly expirationDateTime: string;
  readonly resource: string;
  readonly changeType: StoreChange['kind'] | 'collection';
  readonly lastModifiedDateTime: string;
}

/**
 * The changes of a subscription in which an update is merged into the previous change of its record, unless that is a
 * delete. A delete is always a notification of its own, as on the real service.
 */
function mergeChanges(changes: readonly StoreChange[]): readonly StoreChange[] {
  const merged: StoreChange[] = [];
  for (const change of changes) {
    const index = change.kind === 'updated' ? merged.findLastIndex(({ id }) => id === change.id) : -1;
    const last = merged[index];
    if (last && last.kind !== 'deleted') merged[index] = { ...last, at: change.at };
    else merged.push(change);
  }
  return merged;
}

/** One notification per change, or a single one for all when there are more than the limit. */
export function notificationsOf(
  { id: subscriptionId, target, values }: Subscription,
  all: readonly StoreChange[],
  limit: number,
  wire: (time: string) => string,
): readonly Notification[] {
  const changes = mergeChanges(all);
  const set = `api/${target.route}/companies(${target.companyId})/${target.set}`;
  const common = {
    subscriptionId,
    clientState: values.clientState,
    expirationDateTime: wire(values.expirationDateTime),
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
}
