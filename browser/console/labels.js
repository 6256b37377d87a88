/**
 * Labels and text formats of the console. Does not use the DOM.
 *
 * @import { InstanceKind, Upstream } from './types.js'
 */

/** @param {number | null} percent */
export const formatPercent = (percent) => (percent === null ? '' : `${Math.round(percent)} %`);

/** @param {number | null} ms */
export function formatMs(ms) {
  if (ms === null) return '–';
  return ms < 1_000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/**
 * Formats an enum value: `SERVICE_ISSUE` becomes "Service issue". For UNRECOGNIZED, returns the upstream's value.
 *
 * @param {string | null} word
 * @param {string | null} [raw]
 */
export function formatEnum(word, raw = null) {
  if (word === null || word === 'UNRECOGNIZED') return raw ?? '';
  const spaced = word === 'RCA' ? 'root cause analysis' : word.toLowerCase().replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Formats a word of the upstream, or the name of a field: `SoftShutdown` becomes "Soft shutdown". @param {string | null} word */
export const formatWord = (word) =>
  formatEnum(word?.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_') ?? null);

/** @type {Readonly<Record<InstanceKind, string>>} */
export const kindNames = {
  VIRTUAL_INSTANCE: 'Virtual instance',
  CENTRAL_INSTANCE: 'Central instance',
  APPLICATION_INSTANCE: 'Application server',
  DATABASE_INSTANCE: 'Database',
};

/** "1 instance", "12 instances". @param {number} count @param {string} noun */
export const formatCount = (count, noun) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;

/** Whether any character of a text can be seen. @param {string | null | undefined} text @returns {text is string} */
export const hasText = (text) => /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text ?? '');

/** The first of these that has text; empty without one. @param {readonly (string | null | undefined)[]} texts */
export const firstText = (...texts) => texts.find(hasText) ?? '';

/** @param {readonly string[]} parts */
export const joinParts = (parts) => parts.filter(hasText).join(' · ');

/** @type {Readonly<Record<Upstream['name'], string>>} */
export const upstreamNames = {
  BUSINESS: 'Business Records',
  INSTANCES: 'Instance Control',
  HEALTH: 'Health Events',
};

/** From this share of failed calls on, an upstream counts as degraded: single calls fail everywhere. */
const degradedShare = 0.1;

/**
 * Describes the status of an upstream in one word, its tone and one sentence.
 *
 * @param {Upstream} upstream
 * @returns {{ tone: 'good' | 'warning' | 'off', word: string, why: string }}
 */
export function describeUpstream({ isConfigured, breaker, pace, lately }) {
  const degraded = (/** @type {string} */ why) => ({
    tone: /** @type {const} */ ('warning'),
    word: 'Degraded',
    why,
  });
  if (!isConfigured) return { tone: 'off', word: 'Not configured', why: 'No URL is configured.' };
  if (breaker?.state === 'OPEN') return degraded('Circuit breaker open: your calls are not sent.');
  if (breaker?.state === 'HALF_OPEN') return degraded('Circuit breaker half-open: the next call is a trial.');
  if (pace?.pausedUntil) return degraded('Throttled: your calls are not sent for now.');
  const { count, failures } = lately ?? { count: 0, failures: 0 };
  const failed = failures > 0 ? `${failures} of the last ${formatCount(count, 'call')} failed.` : '';
  if (failures > 0 && failures >= count * degradedShare) return degraded(failed);
  if (pace && pace.waiting > 0)
    return { tone: 'good', word: 'Busy', why: `${pace.waiting} of your calls are waiting.` };
  return count > 0
    ? { tone: 'good', word: 'Healthy', why: failed || 'No recent failures.' }
    : { tone: 'off', word: 'Idle', why: 'No recent calls.' };
}

/**
 * Delay before the next attempt: exponential backoff from 0.5 s to 30 s, with up to 25 % jitter so that clients of a
 * restarted server do not reconnect all at once.
 *
 * @param {number} retries
 * @param {number} random from 0 to 1
 */
export const retryDelayMs = (retries, random) => Math.min(500 * 2 ** retries, 30_000) * (0.75 + random / 4);
