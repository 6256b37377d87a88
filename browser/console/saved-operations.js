/**
 * The operation handles saved in this browser for one user. A handle is no credential: the upstream authorizes each read.
 *
 * @import { Place } from './documents.js'
 * @typedef {{ id: string, action: 'stop' | 'start' | null, place: Place | null, since: number }} SavedOperation
 */

// Below the limit of subscriptions on one WebSocket.
const maxEntries = 30;

/**
 * Adds an entry at the front. An entry with the same id keeps its position and gains the new entry's details.
 *
 * @param {readonly SavedOperation[]} list
 * @param {SavedOperation} entry
 * @returns {SavedOperation[]}
 */
export function addEntry(list, entry) {
  if (!list.some(({ id }) => id === entry.id)) return [entry, ...list].slice(0, maxEntries);
  return list.map((one) =>
    one.id === entry.id && one.place === null ? { ...entry, since: one.since } : one,
  );
}

/**
 * Parses a saved list. Malformed content is ignored: any script of this origin can write to localStorage.
 *
 * @param {string | null} text
 * @returns {SavedOperation[]}
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
 * @returns {SavedOperation}
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
 * Identifies the owner of a list: the token's issuer and subject, so that the next sign-in finds it, or else the token
 * itself. Unverified: it only separates the lists of users who share a browser.
 *
 * @param {string} token
 */
export function getOwner(token) {
  try {
    const claims = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    const { iss, sub } = JSON.parse(atob(claims));
    return typeof sub === 'string' ? JSON.stringify([iss, sub]) : token;
  } catch {
    return token;
  }
}

/**
 * Opens the list of the token's owner, stored under a digest of the owner. Without Web Crypto (an insecure context) the
 * list lives in memory.
 *
 * @param {string} token
 */
export async function openSavedOperations(token) {
  const key = await keyOf(token);
  /** @type {SavedOperation[]} */
  let inMemory = [];
  const list = () => (key === null ? inMemory : readList(localStorage.getItem(key)));
  /** @param {SavedOperation[]} entries */
  const write = (entries) => {
    if (key === null) inMemory = entries;
    else localStorage.setItem(key, JSON.stringify(entries));
  };
  return {
    list,
    /** @param {SavedOperation} entry */
    add: (entry) => write(addEntry(list(), entry)),
    /** @param {readonly string[]} ids */
    remove: (ids) => write(list().filter(({ id }) => !ids.includes(id))),
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
  const digest = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(`console ${getOwner(token)}`),
  );
  const hex = [...new Uint8Array(digest).slice(0, 8)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return `tributary.console.${hex}`;
}
