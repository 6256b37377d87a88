import type { Headers } from './answer.ts';

// What RFC 9111 has a longer one counted as (section 1.2.2): no float that JSON cannot carry.
const mostSeconds = 2 ** 31;

/**
 * How many whole seconds the upstream asks to wait, or null when it does not say or makes no sense.
 *
 * Reads `Retry-After` in seconds or as an HTTP date, then the vendor's millisecond forms. A date is
 * measured from the answer's own `Date`, so that a skewed clock does not matter; a past date is 0.
 */
export function readRetryAfter(headers: Headers, nowMs: number): number | null {
  const seconds = secondsIn(headers, nowMs);
  return seconds === null ? null : Math.min(seconds, mostSeconds);
}

function secondsIn(headers: Headers, nowMs: number): number | null {
  const asked = headers['retry-after'];
  if (typeof asked === 'string') {
    if (/^\d+$/.test(asked)) return Number(asked);
    const at = httpDate(asked);
    if (at !== null) return Math.max(0, Math.ceil((at - (httpDate(headers.date) ?? nowMs)) / 1000));
  }
  const ms = headers['retry-after-ms'] ?? headers['x-ms-retry-after-ms'];
  return typeof ms === 'string' && /^\d+$/.test(ms) ? Math.ceil(Number(ms) / 1000) : null;
}

function httpDate(text: string | readonly string[] | undefined): number | null {
  // Date.parse reads '-5' and '1e9' as dates; an HTTP date names its day and its zone.
  if (typeof text !== 'string' || !/^[A-Z][a-z]+,? .*GMT$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
