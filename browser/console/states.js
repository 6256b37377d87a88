/**
 * States as a word and a tone, which decides the colour.
 *
 * @import { OperationState } from './types.js'
 * @typedef {'good' | 'busy' | 'warning' | 'error' | 'critical' | 'info' | 'off' | 'unknown'} Tone
 * @typedef {{ tone: Tone, word: string }} Shown
 */
import { element } from '../dom.js';
import { firstText, formatEnum } from './labels.js';

/** @type {Readonly<Record<string, Tone>>} */
const statusTones = {
  RUNNING: 'good',
  STARTING: 'busy',
  STOPPING: 'busy',
  SOFT_SHUTDOWN: 'busy',
  OFFLINE: 'off',
  PARTIALLY_RUNNING: 'warning',
  UNAVAILABLE: 'error',
};

/** @type {Readonly<Record<string, Tone>>} */
const healthTones = { HEALTHY: 'good', DEGRADED: 'warning', UNHEALTHY: 'error' };

/** @type {Readonly<Record<string, Tone>>} */
const severityTones = { CRITICAL: 'critical', ERROR: 'error', WARNING: 'warning', INFORMATIONAL: 'info' };

/** @type {Readonly<Record<string, Tone>>} */
const eventStatusTones = { ACTIVE: 'busy', RESOLVED: 'off' };

/** @type {Readonly<Record<string, Tone>>} */
const availabilityTones = { AVAILABLE: 'good', DEGRADED: 'warning', UNAVAILABLE: 'error' };

/** @type {Readonly<Record<OperationState, Shown>>} */
export const operationStates = {
  RUNNING: { tone: 'busy', word: 'Running' },
  SUCCEEDED: { tone: 'good', word: 'Succeeded' },
  FAILED: { tone: 'error', word: 'Failed' },
  CANCELED: { tone: 'off', word: 'Canceled' },
  UNKNOWN: { tone: 'warning', word: 'Outcome unknown' },
};

/** @param {OperationState} state */
export const isFinished = (state) => state !== 'RUNNING';

/** The statuses that instances are filtered by, in the order of the filter. */
export const instanceStatuses = Object.keys(statusTones);

/** @param {string | null | undefined} value @param {string | null} [raw] */
export const instanceStatus = (value, raw) => shown(statusTones, value, raw);

/** @param {string | null | undefined} value @param {string | null} [raw] */
export const instanceHealth = (value, raw) => shown(healthTones, value, raw);

/** @param {string | null | undefined} value @param {string | null} [raw] */
export const availability = (value, raw) => shown(availabilityTones, value, raw);

/** @param {string | null | undefined} value @param {string | null} [raw] */
export const severity = (value, raw) => shown(severityTones, value, raw);

/** @param {string | null | undefined} value @param {string | null} [raw] */
export const eventStatus = (value, raw) => shown(eventStatusTones, value, raw);

/**
 * @param {Readonly<Record<string, Tone>>} tones
 * @param {string | null | undefined} value
 * @param {string | null | undefined} raw
 * @returns {Shown}
 */
function shown(tones, value, raw) {
  return {
    tone: tones[value ?? ''] ?? 'unknown',
    word: firstText(formatEnum(value ?? null, raw), 'Not reported'),
  };
}

/** A state as a coloured word. @param {Shown} state @param {string} [more] */
export const chip = ({ tone, word }, more = '') =>
  element('span', { class: 'chip', 'data-tone': tone }, more ? `${word} · ${more}` : word);
