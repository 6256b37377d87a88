/**
 * Which rows of a table are selected, by key. The selection survives filters: it holds rows that are not shown.
 */
import { createListeners } from '../listeners.js';

export function createSelection() {
  /** @type {Set<string>} */
  const keys = new Set();
  const { notify, watch } = createListeners();

  /** @param {readonly string[]} changed @param {boolean} isSelected */
  const set = (changed, isSelected) => {
    for (const key of changed) isSelected ? keys.add(key) : keys.delete(key);
    notify();
  };
  return {
    watch,
    /** @param {string} key */
    has: (key) => keys.has(key),
    keys: () => [...keys],
    set,
    clear: () => set([...keys], false),
  };
}

/** @typedef {ReturnType<typeof createSelection>} Selection */
