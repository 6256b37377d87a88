import { derivedGuid } from '../seeded.ts';
import type { Item } from './pending.ts';
import { post } from './receiver.ts';
import type { WebhookSettings } from './settings.ts';

/** What can go wrong on the way: told twice, after what comes next, never, or in the wrong order. */
export const deliveryFaults = ['twice', 'afterNext', 'never', 'reversed'] as const;
export type DeliveryFault = (typeof deliveryFaults)[number];

/** One request to a receiver, with its attempts. `body` is exactly what is sent. */
interface Delivery {
  readonly id: number;
  readonly notificationUrl: string;
  body: string;
  /** Who is told what; nothing where the request is forged or a copy, which has no consequences. */
  readonly items: readonly Item[];
  readonly copyOf?: number;
  readonly fault?: DeliveryFault;
  readonly attempts: { readonly at: string; readonly status: number }[];
  state: 'sending' | 'held' | 'retrying' | 'delivered' | 'refused' | 'given up' | 'dropped' | 'lost';
}

/** The requests to receivers, the oldest first. */
export interface Deliveries {
  /** Sends items of some subscriptions, disturbed where a fault waits. */
  send(notificationUrl: string, items: readonly Item[]): void;
  /** Sends anything to anyone, once. */
  forge(notificationUrl: string, body: string): void;
  /** Sends a former request again, as it was. */
  repeat(id: number): void;
  /** Disturbs the next requests. */
  disturb(fault: DeliveryFault, times: number): void;
  /** Sends what is held back. */
  release(): void;
  list(): readonly Omit<Delivery, 'items'>[];
  /** Forgets everything, and ends what is under way. */
  clear(): void;
}

interface Surroundings {
  readonly settings: () => WebhookSettings;
  isAlive(subscriptionId: string): boolean;
  /** A receiver refused, or was silent for too long. */
  remove(subscriptionId: string): void;
}

const maxEntries = 1_000;

export function createDeliveries({ settings, isAlive, remove }: Surroundings): Deliveries {
  let entries: Delivery[] = [];
  let faults: { readonly fault: DeliveryFault; times: number }[] = [];
  let timers = new Set<NodeJS.Timeout>();
  let ending = new AbortController();
  let lastId = 0;

  type Parts = Pick<Delivery, 'notificationUrl' | 'body' | 'items' | 'state'> & Partial<Delivery>;

  function open(parts: Parts): Delivery {
    lastId += 1;
    const delivery: Delivery = { id: lastId, attempts: [], ...parts };
    entries.push(delivery);
    if (entries.length > maxEntries) entries.shift();
    return delivery;
  }

  function copy({ id, notificationUrl, body }: Delivery): void {
    start(open({ notificationUrl, body, items: [], copyOf: id, state: 'sending' }));
  }

  function start(delivery: Delivery): void {
    void attempt(delivery, ending.signal);
  }

  async function attempt(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { id, notificationUrl, items, attempts } = delivery;
    if (items.length > 0) {
      const value = items.filter(({ subscriptionId }) => isAlive(subscriptionId));
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
    const { status } = await post(notificationUrl, {
      headers,
      body: delivery.body,
      timeoutMs: settings().timeoutMs,
      signal,
    });
    if (signal.aborted) return;
    attempts.push({ at, status });
    settle(delivery, status);
  }

  function settle(delivery: Delivery, status: number): void {
    const { items, attempts } = delivery;
    if (status >= 200 && status < 300) {
      delivery.state = 'delivered';
      if (delivery.fault === 'twice') copy(delivery);
      release();
      return;
    }
    const isPassing = status === 0 || status === 408 || status === 429 || status >= 500;
    const pause = isPassing ? settings().retryPausesMs[attempts.length - 1] : undefined;
    if (items.length === 0 || pause === undefined) {
      delivery.state = isPassing ? 'given up' : 'refused';
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
    for (const delivery of entries.filter(({ state }) => state === 'held')) start(delivery);
  }

  return {
    send(notificationUrl, items) {
      const fault = takeFault();
      const told = fault === 'reversed' ? items.toReversed() : items;
      const states = { never: 'lost', afterNext: 'held' } as const;
      const state = fault === 'never' || fault === 'afterNext' ? states[fault] : 'sending';
      const body = JSON.stringify({ value: told });
      const delivery = open({ notificationUrl, body, items: told, state, ...(fault && { fault }) });
      if (state === 'sending') start(delivery);
    },
    forge(notificationUrl, body) {
      start(open({ notificationUrl, body, items: [], state: 'sending' }));
    },
    repeat(id) {
      const former = entries.find((one) => one.id === id);
      if (former) copy(former);
    },
    disturb(fault, times) {
      faults = faults.filter((one) => one.fault !== fault);
      faults.push({ fault, times });
    },
    release,
    list: () => entries.map(({ items: _items, ...shown }) => shown),
    clear() {
      ending.abort();
      ending = new AbortController();
      for (const timer of timers) clearTimeout(timer);
      timers = new Set();
      entries = [];
      faults = [];
    },
  };
}
