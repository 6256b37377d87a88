/**
 * Which rows of a table are selected, by key. The selection survives filters: it holds rows that are not shown.
 */
import { createListeners } from '../listeners.js';

export function createSelection() {
  /** @type {Set<string>} */
  const keys = new Set();
  const { notify, watch } = createListeners();
  /** The row that a range begins at. @type {string | null} */
  let anchor = null;

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
    /**
     * Selects or deselects a row; with `isRange`, all from the one that was changed last.
     *
     * @param {string} key
     * @param {boolean} isSelected
     * @param {boolean} isRange
     * @param {readonly string[]} shown the rows in their order
     */
    change(key, isSelected, isRange, shown) {
      const [from, to] = [shown.indexOf(anchor ?? ''), shown.indexOf(key)].toSorted(
        (one, other) => one - other,
      );
      const isKnown = isRange && from !== undefined && to !== undefined && from >= 0;
      anchor = key;
      set(isKnown ? shown.slice(from, to + 1) : [key], isSelected);
    },
  };
}

/** @typedef {ReturnType<typeof createSelection>} Selection */
