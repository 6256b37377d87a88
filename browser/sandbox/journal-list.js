/**
 * Shows the journal: filtered, and as it was while it is paused.
 *
 * @import { JournalFeed } from './journal-feed.js'
 * @import { JournalEntry } from './types.js'
 */
import { byId, element, setChildren, setText } from '../dom.js';
import { maxEntries } from './journal-feed.js';
import { createRow } from './journal-row.js';
import { areaNames, describeCaller, describeStatus, matchesFilter } from './labels.js';

/** Collects changes, so that a burst of requests leaves the processor to those who send them. */
const showAfterMs = 100;

/**
 * @param {JournalFeed} feed
 * @param {ReadonlyMap<string, string>} callers names by the digests of their tokens
 * @param {{ announce(text: string): void, clear(): void }} actions
 */
export function showJournal(feed, callers, { announce, clear }) {
  const list = byId('journal-list', HTMLOListElement);
  const filter = byId('journal-filter', HTMLInputElement);
  const area = byId('journal-area', HTMLSelectElement);
  const pause = byId('journal-pause', HTMLButtonElement);
  /** @type {Map<number, ReturnType<typeof createRow>>} */
  let rows = new Map();
  /** What is shown while it is paused. @type {readonly JournalEntry[] | null} */
  let held = null;
  let isScheduled = false;

  area.replaceChildren(
    element('option', { value: '' }, 'All services'),
    ...Object.entries(areaNames).map(([name, label]) => element('option', { value: name }, label)),
  );

  /** @param {JournalEntry} entry */
  const isShown = (entry) =>
    (area.value === '' || entry.area === area.value) &&
    matchesFilter(
      [
        entry.method,
        entry.path,
        describeStatus(entry).word,
        describeCaller(entry, callers),
        entry.fault,
        entry.chaos,
      ].join(' '),
      filter.value.trim(),
    );

  function show() {
    isScheduled = false;
    const all = feed.list();
    const entries = (held ?? all).filter(isShown);
    const before = rows;
    rows = new Map(entries.map((entry) => [entry.id, keepRow(before.get(entry.id), entry)]));
    setChildren(
      list,
      [...rows.values()].map(({ node }) => node),
    );
    setText(byId('journal-summary', HTMLElement), summarize(all, entries.length));
  }

  /** A changed entry gets a new line, which stays open. @param {ReturnType<typeof createRow> | undefined} row @param {JournalEntry} entry */
  function keepRow(row, entry) {
    if (row?.entry === entry) return row;
    const made = createRow(entry, callers);
    if (row) {
      const hasFocus = row.details.contains(document.activeElement);
      made.details.open = row.details.open;
      row.node.replaceWith(made.node);
      if (hasFocus) made.details.querySelector('summary')?.focus();
    }
    return made;
  }

  /** @param {readonly JournalEntry[]} all @param {number} shown */
  function summarize(all, shown) {
    const last = held?.[0]?.id ?? 0;
    const later = held ? all.filter(({ id }) => id > last).length : 0;
    if (held) return `Paused. ${later} new.`;
    if (all.length === 0) return 'No requests yet.';
    if (shown === 0) return 'No request matches.';
    if (shown < all.length) return `${shown} of ${all.length} requests`;
    return all.length >= maxEntries
      ? `The last ${maxEntries} requests`
      : `${shown} ${shown === 1 ? 'request' : 'requests'}`;
  }

  function schedule() {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(show, showAfterMs);
  }

  filter.addEventListener('input', schedule);
  area.addEventListener('change', schedule);
  pause.addEventListener('click', () => {
    held = held ? null : feed.list();
    pause.setAttribute('aria-pressed', String(held !== null));
    setText(pause, held ? 'Continue' : 'Pause');
    announce(held ? 'The journal is paused.' : 'The journal continues.');
    schedule();
  });
  byId('journal-clear', HTMLButtonElement).addEventListener('click', clear);
  feed.watch(schedule);
}
