/**
 * Labels and text formats of the page. Does not use the DOM.
 *
 * @import { Fault, JournalEntry } from './types.js'
 */

/** The services and the sign-in, by the names of the control API. @type {Readonly<Record<string, string>>} */
export const areaNames = {
  business: 'Business Records',
  instances: 'Instance Control',
  health: 'Health Events',
  'sign-in': 'Sign-in',
};

/** "error500After" becomes "Error 500 after". @param {string} name */
export function formatKind(name) {
  const spaced = name.replace(/([a-z])([A-Z0-9])|(\d)([A-Z])/g, (_all, a, b, c, d) => `${a ?? c} ${b ?? d}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}

/** Which requests a fault meets, and how often still. @param {Fault} fault */
export function describeFault({ times, area, method, path, part }) {
  const isOne = times === 1;
  const what = part ? (isOne ? 'part of a batch' : 'parts of batches') : isOne ? 'request' : 'requests';
  const where = [area && `to ${areaNames[area] ?? area}`, path && `with ${path} in the path`];
  return ['Next', isOne ? '' : times, method, what, ...where].filter(Boolean).join(' ');
}

/**
 * The status of a request, and the tone that decides its colour.
 *
 * @param {Pick<JournalEntry, 'status' | 'isPending'>} entry
 */
export function describeStatus({ status, isPending }) {
  if (isPending) return { word: 'Pending', tone: 'busy' };
  if (status === 0) return { word: 'No response', tone: 'error' };
  return { word: String(status), tone: status < 400 ? 'good' : status < 500 ? 'warning' : 'error' };
}

/** Who sent a request. `known` are names by the digests of tokens. @param {JournalEntry} entry @param {ReadonlyMap<string, string>} known */
export function describeCaller({ user, headers }, known) {
  if (user !== undefined) return user;
  const digest = /sha256:(\w+)/.exec(String(headers.authorization ?? ''))?.[1];
  return digest === undefined ? 'No token' : (known.get(digest) ?? `Token ${digest.slice(0, 6)}`);
}

/** True where a request has all words of a filter. @param {string} text @param {string} filter */
export const matchesFilter = (text, filter) =>
  filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.toLowerCase().includes(word));

/** A path with the beginning of each GUID only. @param {string} path */
export const shortenPath = (path) =>
  path.replace(/([\da-f]{4})[\da-f]{4}(-[\da-f]{4}){3}-[\da-f]{12}/gi, '$1…');
