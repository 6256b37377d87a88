/**
 * The subscriptions whose instances are shown, remembered for the next visit, and those that the user may choose from.
 *
 * @import { Memory } from '../identity.js'
 * @import { ManagementSubscription } from './types.js'
 */
import { managementSubscriptions } from './documents.js';
import { ask } from './graph.js';
import { firstText } from './labels.js';
import { createListeners } from './listeners.js';

const name = 'subscriptions';

/**
 * @param {Memory} memory
 * @param {string | null} initial chosen at the first visit
 */
export function createSubscriptions(memory, initial) {
  const { notify, watch } = createListeners();
  const kept = memory.get(name);
  /** @type {string[]} */
  let chosen = Array.isArray(kept)
    ? kept.filter((id) => typeof id === 'string')
    : initial === null
      ? []
      : [initial];
  /** Empty where the upstream has no list of them. @type {readonly ManagementSubscription[]} */
  let known = [];

  /** @param {string[]} now */
  const choose = (now) => {
    chosen = now;
    memory.set(name, chosen);
    notify();
  };
  return {
    watch,
    chosen: () => chosen,
    known: () => known,
    /** The name that its owner gave it, or its id. @param {string} id */
    nameOf: (id) => firstText(known.find((one) => one.id === id.toLowerCase())?.displayName, id),
    /** @param {string} id */
    add: (id) => {
      if (!chosen.includes(id)) choose([...chosen, id]);
    },
    /** @param {string} id */
    remove: (id) => choose(chosen.filter((one) => one !== id)),
    /** Reads the list. At the first visit, the only one is chosen. */
    async load() {
      const { data } = await ask(managementSubscriptions);
      known = data?.managementSubscriptions?.nodes ?? [];
      const [only] = known;
      if (kept === null && chosen.length === 0 && only && known.length === 1) choose([only.id]);
      else notify();
    },
  };
}

/** @typedef {ReturnType<typeof createSubscriptions>} Subscriptions */
