/** Who is told that something has changed. */
export function createListeners() {
  /** @type {Set<() => void>} */
  const listeners = new Set();
  return {
    notify() {
      for (const listener of [...listeners]) listener();
    },
    /**
     * Calls the listener now and at every change, until the signal aborts.
     *
     * @param {() => void} listener
     * @param {AbortSignal} [signal]
     */
    watch(listener, signal) {
      listeners.add(listener);
      signal?.addEventListener('abort', () => listeners.delete(listener));
      listener();
    },
  };
}
