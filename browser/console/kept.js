/**
 * The handles that this browser keeps, of one caller. A handle is no credential: the upstream decides who may follow it.
 *
 * @import { Place } from './documents.js'
 * @typedef {{ id: string, action: 'stop' | 'start' | null, place: Place | null, since: number }} Kept
 */

// Fewer than the subscriptions that a socket may have.
const most = 30;

/**
 * The list with an entry in front. One that is there already stays where it is, and knows what is known of either.
 *
 * @param {readonly Kept[]} list
 * @param {Kept} entry
 * @returns {Kept[]}
 */
export function added(list, entry) {
  if (!list.some(({ id }) => id === entry.id)) return [entry, ...list].slice(0, most);
  return list.map((one) =>
    one.id === entry.id && one.place === null ? { ...entry, since: one.since } : one,
  );
}

/**
 * What a list was written down as. What is none counts as empty: anybody can write into a browser's storage.
 *
 * @param {string | null} text
 * @returns {Kept[]}
 */
export function readList(text) {
  try {
    const list = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter((entry) => typeof entry?.id === 'string').map(readEntry) : [];
  } catch {
    return [];
  }
}

/**
 * @param {Record<string, unknown>} entry
 * @returns {Kept}
 */
function readEntry({ id, action, place, since }) {
  return {
    id: String(id),
    action: action === 'stop' || action === 'start' ? action : null,
    place: isPlace(place) ? place : null,
    since: typeof since === 'number' ? since : 0,
  };
}

/**
 * @param {unknown} place
 * @returns {place is Place}
 */
function isPlace(place) {
  const names = ['subscriptionId', 'resourceGroupName', 'virtualInstanceName', 'applicationInstanceName'];
  const given = /** @type {Record<string, unknown> | null | undefined} */ (place);
  return names.every((name) => typeof given?.[name] === 'string');
}

/**
 * Whose list it is: who the token says it is of, so that the next sign-in finds it, or else the token itself. Nothing
 * is proven by it, and nothing granted: it only keeps the lists of those who share a browser apart.
 *
 * @param {string} token
 */
export function ownerOf(token) {
  try {
    const claims = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    const { iss, sub } = JSON.parse(atob(claims));
    return typeof sub === 'string' ? JSON.stringify([iss, sub]) : token;
  } catch {
    return token;
  }
}

/**
 * The list of who asks with this token. It is kept under a digest; where pages have no digests, it is this page's alone.
 *
 * @param {string} token
 */
export async function openKept(token) {
  const key = await keyOf(token);
  /** @type {Kept[]} */
  let unwritten = [];
  const list = () => (key === null ? unwritten : readList(localStorage.getItem(key)));
  /** @param {Kept[]} entries */
  const write = (entries) => {
    if (key === null) unwritten = entries;
    else localStorage.setItem(key, JSON.stringify(entries));
  };
  return {
    list,
    /** @param {Kept} entry */
    add: (entry) => write(added(list(), entry)),
    /** @param {readonly string[]} ids */
    drop: (ids) => write(list().filter(({ id }) => !ids.includes(id))),
    /**
     * Calls the listener when another tab has changed the list.
     *
     * @param {() => void} listener
     */
    onChange(listener) {
      addEventListener('storage', (event) => {
        if (key !== null && event.key === key) listener();
      });
    },
  };
}

/** @param {string} token */
async function keyOf(token) {
  if (!globalThis.crypto?.subtle) return null;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`console ${ownerOf(token)}`));
  const hex = [...new Uint8Array(digest).slice(0, 8)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return `tributary.console.${hex}`;
}
