/**
 * The health events of a scope, which a subscription keeps current.
 *
 * @import { Subscribe } from '../graph.js'
 * @import { HealthEvent, PageInfo } from '../types.js'
 */
import { healthEvents, healthEventsChanged } from '../documents.js';
import { ask, errorMessages } from '../graph.js';
import { createListeners } from '../listeners.js';
import { compareEvents, keyOf, nameOf } from './event-order.js';

const pageSize = 100;
const maxEvents = 1_000;

/** @param {{ subscribe: Subscribe, announce: (text: string) => void }} given */
export function createEventStore({ subscribe, announce }) {
  const { notify, watch } = createListeners();
  /** @type {Map<string, HealthEvent>} */
  let events = new Map();
  let fault = '';
  let isLoading = true;
  /** Null for the tenant. @type {string | null} */
  let scope = null;
  let unsubscribe = () => {};
  let lastRead = 0;
  /** What was pushed since the last read began, which may be newer than what it returns. @type {typeof events} */
  const pushed = new Map();

  async function read() {
    lastRead += 1;
    const mine = lastRead;
    pushed.clear();
    isLoading = true;
    notify();
    /** @type {Map<string, HealthEvent>} */
    const found = new Map();
    /** @type {PageInfo} */
    let next = { hasNextPage: true, endCursor: null };
    while (next.hasNextPage && found.size < maxEvents) {
      const variables = { subscriptionId: scope, first: pageSize, after: next.endCursor };
      const { data, errors } = await ask(healthEvents, variables);
      if (mine !== lastRead) return;
      fault = errorMessages(errors);
      for (const event of data?.healthEvents?.nodes ?? []) found.set(keyOf(event), event);
      next = data?.healthEvents?.pageInfo ?? { hasNextPage: false, endCursor: null };
    }
    if (fault === '' || found.size > 0) events = new Map([...found, ...pushed]);
    isLoading = false;
    notify();
  }

  /** @param {string | null} subscriptionId null for the tenant */
  function load(subscriptionId) {
    if (scope !== subscriptionId) events = new Map();
    scope = subscriptionId;
    unsubscribe();
    unsubscribe = subscribe(
      healthEventsChanged,
      { subscriptionId },
      {
        onData(data, errors) {
          const event = data?.healthEventsChanged;
          if (event) {
            const isNew = !events.has(keyOf(event));
            events.set(keyOf(event), event);
            pushed.set(keyOf(event), event);
            announce(`Health event ${nameOf(event)}: ${isNew ? 'new' : 'updated'}.`);
          } else if (errors.length > 0) fault = errorMessages(errors);
          notify();
        },
        onResume: () => void read(),
        onEnd(errors) {
          if (errors.length > 0) fault = `${errorMessages(errors)} Refresh to watch again.`;
          notify();
        },
      },
    );
    return read();
  }

  return {
    watch,
    load,
    scope: () => scope,
    snapshot: () => ({ events: [...events.values()].toSorted(compareEvents), fault, isLoading }),
  };
}

/** @typedef {ReturnType<typeof createEventStore>} EventStore */
