/**
 * The virtual instances of the chosen subscriptions: first all of them, then their components, some at a time.
 *
 * @import { System } from './fleet-rows.js'
 * @import { PageInfo } from '../types.js'
 */
import { fleetPage, systems as readSystems } from '../documents.js';
import { ask, errorMessages } from '../graph.js';
import { createListeners } from '../listeners.js';
import { addressOf, readSystem } from './fleet-rows.js';

const pageSize = 500;
/**
 * How many virtual instances are read with their components at a time; at first fewer, to show the first soon. Each is four
 * calls upstream, and the server lets a limited number of a caller's calls wait.
 */
const firstChunk = 4;
const chunk = 10;

export function createFleetStore() {
  const { notify, watch } = createListeners();
  /** @type {System[]} */
  let systems = [];
  /** @type {Set<string>} */
  const faults = new Set();
  let isLoading = false;
  /** How many have their components, of those that are read now. */
  let read = 0;
  /** @type {Date | null} */
  let readAt = null;
  let generation = 0;
  let requests = 0;
  /** The number of the request that the components of a virtual instance are from. @type {Map<string, number>} */
  const shownOf = new Map();

  /** @param {readonly string[]} subscriptionIds */
  async function load(subscriptionIds) {
    const mine = ++generation;
    const known = new Map(systems.map((system) => [system.row.nodeId, system]));
    // Known rows stay until the new ones arrive.
    systems = systems.filter(({ row }) => subscriptionIds.includes(row.subscriptionId));
    faults.clear();
    isLoading = true;
    read = 0;
    notify();
    /** @type {System[]} */
    const found = [];
    for (const subscriptionId of subscriptionIds) {
      for await (const { nodes, message } of readPages(subscriptionId)) {
        if (mine !== generation) return;
        if (message !== '') faults.add(message);
        found.push(...nodes.map(readSystem));
      }
    }
    if (found.length > 0 || faults.size === 0)
      systems = found.map((system) => ({ ...(known.get(system.row.nodeId) ?? system), row: system.row }));
    notify();
    const ids = systems.map(({ row }) => row.nodeId);
    for (let at = 0; at < ids.length; at = read) {
      const part = ids.slice(at, at + (at === 0 ? firstChunk : chunk));
      await refresh(part);
      if (mine !== generation) return;
      read += part.length;
      notify();
    }
    isLoading = false;
    readAt = new Date();
    notify();
  }

  /**
   * Reads some virtual instances with their components.
   *
   * @param {readonly string[]} nodeIds
   */
  async function refresh(nodeIds) {
    const mine = generation;
    requests += 1;
    const number = requests;
    const { data, errors } = await ask(readSystems, { nodeIds });
    if (mine !== generation) return;
    if (errors.length > 0) faults.add(errorMessages(errors));
    /** @type {Map<string, System>} */
    const fresh = new Map();
    for (const node of data?.nodes ?? []) {
      // A later request may have been answered first.
      if (!node || (shownOf.get(node.nodeId) ?? 0) > number) continue;
      shownOf.set(node.nodeId, number);
      fresh.set(node.nodeId, readSystem(node));
    }
    systems = systems.map((system) => fresh.get(system.row.nodeId) ?? system);
    notify();
  }

  return {
    watch,
    load,
    refresh,
    snapshot: () => ({ systems, faults: [...faults], isLoading, read, readAt }),
    /** Finds a row by the address of its instance: see `addressOf`. @param {string} address */
    at: (address) =>
      systems
        .flatMap(({ row, components }) => [row, ...components])
        .find((row) => addressOf(row) === address),
    /** Finds rows by their `nodeId`. @param {readonly string[]} nodeIds */
    find(nodeIds) {
      const wanted = new Set(nodeIds);
      return systems
        .flatMap(({ row, components }) => [row, ...components])
        .filter(({ nodeId }) => wanted.has(nodeId));
    },
  };
}

/** @typedef {ReturnType<typeof createFleetStore>} FleetStore */

/** @param {string} subscriptionId */
async function* readPages(subscriptionId) {
  /** @type {PageInfo} */
  let next = { hasNextPage: true, endCursor: null };
  while (next.hasNextPage) {
    const { data, errors } = await ask(fleetPage, { subscriptionId, first: pageSize, after: next.endCursor });
    yield { nodes: data?.virtualInstances?.nodes ?? [], message: errorMessages(errors) };
    next = data?.virtualInstances?.pageInfo ?? { hasNextPage: false, endCursor: null };
  }
}
