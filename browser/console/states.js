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

/** The statuses that instances are filtered by, in the order of the filter. */
export const instanceStatuses = Object.keys(statusTones);

/** The tones of all words: each has one colour everywhere. @type {Readonly<Record<string, Tone>>} */
const tones = {
  ...statusTones,
  Available: 'good',
  Healthy: 'good',
  Degraded: 'warning',
  Unhealthy: 'error',
  CRITICAL: 'critical',
  ERROR: 'error',
  WARNING: 'warning',
  INFORMATIONAL: 'info',
  ACTIVE: 'busy',
  RESOLVED: 'off',
};

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

/** The status, health or availability of an instance. @param {string | null} word @returns {Shown} */
export const instanceState = (word) => shown(word, formatWord(word));

/** The severity or status of an event. @param {string | null} value @param {string | null} [raw] @returns {Shown} */
export const eventState = (value, raw) => shown(value, formatEnum(value, raw));

/** @param {string | null} value @param {string} text @returns {Shown} */
const shown = (value, text) => ({
  tone: tones[value ?? ''] ?? 'unknown',
  word: firstText(text, 'Not reported'),
});

/** A state as a coloured word. @param {Shown} state @param {string} [more] */
export const chip = ({ tone, word }, more = '') =>
  element('span', { class: 'chip', 'data-tone': tone }, more ? `${word} · ${more}` : word);
