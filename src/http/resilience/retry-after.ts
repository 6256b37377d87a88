import type { ResponseHeaders } from '../response.ts';

// RFC 9111, section 1.2.2: a larger number of seconds counts as this one. It is a number that JSON can carry exactly.
const maxRetryAfterSeconds = 2 ** 31;

/**
 * The whole seconds that the upstream asks to wait; null where it does not ask, or the value is invalid.
 *
 * Reads `Retry-After` in seconds or as an HTTP date, then the vendor's headers in milliseconds. A date is compared with
 * the response's own `Date`, so that clock skew does not matter; a past date is 0.
 */
export function readRetryAfter(headers: ResponseHeaders, nowMs: number): number | null {
  const seconds = parseRetryAfter(headers, nowMs);
  return seconds === null ? null : Math.min(seconds, maxRetryAfterSeconds);
}

function parseRetryAfter(headers: ResponseHeaders, nowMs: number): number | null {
  const value = headers['retry-after'];
  if (typeof value === 'string') {
    if (/^\d+$/.test(value)) return Number(value);
    const at = parseHttpDate(value);
    if (at !== null) return Math.max(0, Math.ceil((at - (parseHttpDate(headers.date) ?? nowMs)) / 1000));
  }
  const ms = headers['retry-after-ms'] ?? headers['x-ms-retry-after-ms'];
  return typeof ms === 'string' && /^\d+$/.test(ms) ? Math.ceil(Number(ms) / 1000) : null;
}

function parseHttpDate(text: string | readonly string[] | undefined): number | null {
  // `Date.parse` also accepts '-5' and '1e9'; an HTTP date names its day and its zone.
  if (typeof text !== 'string' || !/^[A-Z][a-z]+,? .*GMT$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
