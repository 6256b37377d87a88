import { expect, test } from 'vitest';
import { formatDuration, formatRelative } from '../../../browser/console/times.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const s = 1_000;
const min = 60 * s;
const h = 60 * min;
const d = 24 * h;

test.for([
  [0, 'just now'],
  [-4 * s, 'just now'],
  [-42 * s, '42 s ago'],
  [-3 * min - 50 * s, '3 min ago'],
  [-23 * h - 59 * min, '23 h ago'],
  [-29 * d, '29 d ago'],
  [4 * s, 'just now'],
  [90 * s, 'in 1 min'],
  [3 * d, 'in 3 d'],
] as const)('formatRelative: %i ms from now is "%s"', ([apart, expected]) => {
  expect(formatRelative(now + apart, now)).toBe(expected);
});

test('formatRelative gives the date from 30 days on', () => {
  expect(formatRelative(now - 30 * d, now)).toContain('2026');
  expect(formatRelative(now + 400 * d, now)).toContain('2027');
});

test.for([
  [-5, '0 s'],
  [400, '0 s'],
  [42 * s, '42 s'],
  [59_700, '1 min'],
  [3 * min + 5 * s, '3 min 5 s'],
  [2 * h, '2 h'],
  [2 * h + 4 * min + 59 * s, '2 h 4 min'],
  [3 * d + 2 * h, '3 d 2 h'],
] as const)('formatDuration: %i ms is "%s"', ([ms, expected]) => {
  expect(formatDuration(ms)).toBe(expected);
});
