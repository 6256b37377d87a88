/**
 * States as a word and a tone, which decides the colour.
 *
 * @import { OperationState } from './types.js'
 * @typedef {'good' | 'busy' | 'warning' | 'error' | 'critical' | 'info' | 'off' | 'unknown'} Tone
 * @typedef {{ tone: Tone, word: string }} Shown
 */
import { element } from '../dom.js';
import { firstText, formatEnum, formatWord } from './labels.js';

/** @type {Readonly<Record<string, Tone>>} */
const statusTones = {
  Running: 'good',
  Starting: 'busy',
  Stopping: 'busy',
  SoftShutdown: 'busy',
  Offline: 'off',
  PartiallyRunning: 'warning',
  Unavailable: 'error',
};

/** @type {Readonly<Record<string, Tone>>} */
const healthTones = { Healthy: 'good', Degraded: 'warning', Unhealthy: 'error' };

/** @type {Readonly<Record<string, Tone>>} */
const severityTones = { CRITICAL: 'critical', ERROR: 'error', WARNING: 'warning', INFORMATIONAL: 'info' };

/** @type {Readonly<Record<string, Tone>>} */
const eventStatusTones = { ACTIVE: 'busy', RESOLVED: 'off' };

/** @type {Readonly<Record<string, Tone>>} */
const availabilityTones = { Available: 'good', Degraded: 'warning', Unavailable: 'error' };

/** @type {readonly Tone[]} */
const urgent = ['critical', 'error', 'warning', 'busy', 'info', 'off', 'unknown', 'good'];

/** The place of a state among all, the most urgent first. @param {Shown} state */
export const urgencyOf = ({ tone }) => urgent.indexOf(tone);

/** @type {Readonly<Record<OperationState, Shown>>} */
export const operationStates = {
  RUNNING: { tone: 'busy', word: 'Running' },
  SUCCEEDED: { tone: 'good', word: 'Succeeded' },
  FAILED: { tone: 'error', word: 'Failed' },
  CANCELED: { tone: 'off', word: 'Canceled' },
  UNKNOWN: { tone: 'warning', word: 'Outcome unknown' },
  UNREAD: { tone: 'unknown', word: 'Not read' },
};

/** @param {OperationState} state */
export const isFinished = (state) => state !== 'RUNNING' && state !== 'UNREAD';

/** The statuses that instances are filtered by, in the order of the filter. */
export const instanceStatuses = Object.keys(statusTones);

/** @param {string | null} word */
export const instanceStatus = (word) => shown(statusTones, word, formatWord(word));

/** @param {string | null} word */
export const instanceHealth = (word) => shown(healthTones, word, formatWord(word));

/** @param {string | null} word */
export const availability = (word) => shown(availabilityTones, word, formatWord(word));

/** @param {string | null} value @param {string | null} [raw] */
export const severity = (value, raw) => shown(severityTones, value, formatEnum(value, raw));

/** @param {string | null} value @param {string | null} [raw] */
export const eventStatus = (value, raw) => shown(eventStatusTones, value, formatEnum(value, raw));

/**
 * @param {Readonly<Record<string, Tone>>} tones
 * @param {string | null} value
 * @param {string} text
 * @returns {Shown}
 */
const shown = (tones, value, text) => ({
  tone: tones[value ?? ''] ?? 'unknown',
  word: firstText(text, 'Not reported'),
});

/** A state as a coloured word. @param {Shown} state @param {string} [more] */
export const chip = ({ tone, word }, more = '') =>
  element('span', { class: 'chip', 'data-tone': tone }, more ? `${word} · ${more}` : word);
