/** What the browser stores, or, where that is off or full, what this page keeps until it is left. */

/** @param {() => Storage} open throws where it is off */
function createStorage(open) {
  /** @type {Map<string, string>} */
  const inMemory = new Map();
  return {
    /** Whether nothing is in this page alone. */
    isKept: () => inMemory.size === 0,
    /** @param {string} name */
    get(name) {
      try {
        return inMemory.get(name) ?? open().getItem(name);
      } catch {
        return inMemory.get(name) ?? null;
      }
    },
    /** @param {string} name @param {string | null} text null removes it */
    set(name, text) {
      inMemory.delete(name);
      try {
        if (text === null) open().removeItem(name);
        else open().setItem(name, text);
      } catch {
        if (text !== null) inMemory.set(name, text);
      }
    },
  };
}

/** Of this tab. */
export const tabStorage = createStorage(() => sessionStorage);

/** Of this browser. */
export const browserStorage = createStorage(() => localStorage);
