/** Times relative to now, with the absolute time beside them. */
import { element } from '../dom.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/**
 * "3 min ago", "in 2 d"; a date from 30 days on.
 *
 * @param {number} at in milliseconds since 1970, as `now`
 * @param {number} now
 */
export function formatRelative(at, now) {
  const apart = Math.abs(now - at);
  if (apart >= 30 * day) return date.format(at);
  if (apart < 5 * second) return 'just now';
  const [length, unit] =
    apart < minute ? [second, 's'] : apart < hour ? [minute, 'min'] : apart < day ? [hour, 'h'] : [day, 'd'];
  const amount = `${Math.floor(apart / length)} ${unit}`;
  return at <= now ? `${amount} ago` : `in ${amount}`;
}

/** "42 s", "3 min 5 s", "2 h 4 min". @param {number} ms */
export function formatDuration(ms) {
  const whole = Math.max(0, Math.round(ms / second)) * second;
  const two = (
    /** @type {number} */ large,
    /** @type {string} */ name,
    /** @type {number} */ small,
    /** @type {string} */ rest,
  ) => {
    const remainder = Math.floor((whole % large) / small);
    return `${Math.floor(whole / large)} ${name}${remainder > 0 ? ` ${remainder} ${rest}` : ''}`;
  };
  if (whole < minute) return `${whole / second} s`;
  if (whole < hour) return two(minute, 'min', second, 's');
  return whole < day ? two(hour, 'h', minute, 'min') : two(day, 'd', hour, 'h');
}

/**
 * @param {string | null | undefined} iso
 * @returns {HTMLElement | string}
 */
export function time(iso) {
  const at = Date.parse(iso ?? '');
  if (Number.isNaN(at)) return '–';
  return element(
    'time',
    // HTML takes at most three fraction digits; upstreams write seven.
    { datetime: new Date(at).toISOString(), title: absolute.format(at) },
    formatRelative(at, Date.now()),
  );
}

/**
 * How long something took, or has taken so far.
 *
 * @param {string | null} start
 * @param {string | null} end null while it goes on
 */
export function duration(start, end) {
  const from = Date.parse(start ?? '');
  if (Number.isNaN(from)) return '';
  if (end !== null) return formatDuration(Date.parse(end) - from);
  return element('span', { 'data-since': from }, formatDuration(Date.now() - from));
}

/** Keeps the times and durations that the page shows current, once a second. */
export function keepTimesCurrent() {
  setInterval(() => {
    if (document.hidden) return;
    const now = Date.now();
    for (const shown of document.querySelectorAll('time'))
      update(shown, formatRelative(Date.parse(shown.dateTime), now));
    for (const shown of document.querySelectorAll('[data-since]'))
      update(shown, formatDuration(now - Number(/** @type {HTMLElement} */ (shown).dataset.since)));
  }, second);
}

/** @param {Element} place @param {string} text */
function update(place, text) {
  if (place.textContent !== text) place.textContent = text;
}
