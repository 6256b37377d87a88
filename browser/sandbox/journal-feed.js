/**
 * The journal as it changes, newest first.
 *
 * @import { JournalEntry } from './types.js'
 */
import { createListeners } from '../console/listeners.js';

/** Older entries are not shown. */
export const maxEntries = 500;

/** After a response that ends the stream for good, such as 503. */
const retryAfterMs = 5_000;

/** @typedef {ReturnType<typeof createJournalFeed>} JournalFeed */

/** @param {(state: 'connecting' | 'open' | 'waiting') => void} onConnection */
export function createJournalFeed(onConnection) {
  const { notify, watch } = createListeners();
  /** @type {Map<number, JournalEntry>} */
  let entries = new Map();

  /** @param {readonly JournalEntry[]} changed */
  function add(changed) {
    for (const entry of changed) entries.set(entry.id, entry);
    const kept = [...entries.values()].sort((a, b) => b.id - a.id).slice(0, maxEntries);
    entries = new Map(kept.map((entry) => [entry.id, entry]));
    notify();
  }

  function connect() {
    onConnection('connecting');
    const source = new EventSource('/sandbox/journal/events');
    source.addEventListener('open', () => onConnection('open'));
    source.addEventListener('error', () => {
      onConnection('waiting');
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, retryAfterMs);
    });
    source.addEventListener('emptied', () => {
      entries = new Map();
      notify();
    });
    source.addEventListener('entries', ({ data }) => add(JSON.parse(data)));
  }

  connect();
  return { list: () => [...entries.values()], watch };
}
