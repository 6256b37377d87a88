/**
 * How the console puts things. Knows no page.
 *
 * @import { State, Upstream } from './documents.js'
 */

/** @type {Readonly<Record<State, { mark: string, word: string }>>} */
export const states = {
  RUNNING: { mark: '▸', word: 'Running' },
  SUCCEEDED: { mark: '✓', word: 'Succeeded' },
  FAILED: { mark: '✗', word: 'Failed' },
  CANCELED: { mark: '–', word: 'Canceled' },
  UNKNOWN: { mark: '?', word: 'Accepted, cannot be followed' },
};

/** @param {State} state */
export const isFinished = (state) => state !== 'RUNNING';

/** @param {number | null} percent */
export const percentText = (percent) => (percent === null ? '' : `${Math.round(percent)} %`);

/** @param {number | null} ms */
export function msText(ms) {
  if (ms === null) return '–';
  return ms < 1_000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/**
 * A word of the graph, for people: `SERVICE_ISSUE` is "Service issue". The upstream's own, where the graph knows none.
 *
 * @param {string | null} word
 * @param {string | null} [raw]
 */
export function wordOf(word, raw = null) {
  if (word === null || word === 'UNRECOGNIZED') return raw ?? '';
  const spaced = word.toLowerCase().replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** @param {readonly string[]} parts */
export const listed = (parts) => parts.filter((part) => part !== '').join(' · ');

/**
 * The handle in what somebody pastes: itself, or the address of this page that shares it.
 *
 * @param {string} text
 */
export function handleIn(text) {
  const [, shared = text] = /#operation=(.*)$/s.exec(text) ?? [];
  const handle = shared.trim();
  // The five parts of a JWE, of which the second is empty where the key is not sent.
  return /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/.test(handle) ? handle : null;
}

/** @param {string} handle */
export const sharedAddress = (handle) => `#operation=${handle}`;

/** @type {Readonly<Record<Upstream['name'], string>>} */
export const upstreamNames = {
  BUSINESS: 'Business records',
  INSTANCES: 'Instances',
  HEALTH: 'Health events',
};

/**
 * How an upstream does, in a word and a sentence.
 *
 * @param {Upstream} upstream
 * @returns {{ standing: 'well' | 'trouble' | 'absent', word: string, why: string }}
 */
export function standingOf({ isConfigured, breaker, pace, lately }) {
  const trouble = (/** @type {string} */ why) => ({
    standing: /** @type {const} */ ('trouble'),
    word: 'In trouble',
    why,
  });
  if (!isConfigured)
    return { standing: 'absent', word: 'Not configured', why: 'This deployment has no address for it.' };
  if (breaker?.state === 'OPEN') return trouble('It failed too often: calls of yours are not made for now.');
  if (breaker?.state === 'HALF_OPEN') return trouble('It failed too often; the next call shows how it is.');
  if (pace?.pausedUntil) return trouble('It throttles you: nothing is sent for a while.');
  if (lately && lately.failures > 0)
    return trouble(`${lately.failures} of the last ${lately.count} calls failed.`);
  if (pace && pace.waiting > 0)
    return { standing: 'well', word: 'Busy', why: 'Calls of yours wait for their turn.' };
  return {
    standing: 'well',
    word: 'Well',
    why: lately?.count ? 'No call failed lately.' : 'Nobody has asked it lately.',
  };
}

/**
 * How long to wait before the connection is tried again: half a second, doubled each time, half a minute at most; a
 * part of it drawn at random, so that a server that comes back is not met by everybody at once.
 *
 * @param {number} retries
 * @param {number} random from 0 to 1
 */
export const retryPauseMs = (retries, random) => Math.min(500 * 2 ** retries, 30_000) * (0.75 + random / 4);
