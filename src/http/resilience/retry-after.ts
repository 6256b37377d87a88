import type { ResponseHeaders } from '../response.ts';

// RFC 9111, section 1.2.2: a larger number of seconds counts as this one. It is a number that JSON can carry exactly.
const maxRetryAfterSeconds = 2 ** 31;

/**
 * The whole seconds that the upstream asks to wait; null where it does not ask, or the value is invalid.
 *
 * Reads `Retry-After` in seconds or as an HTTP date, then the vendor's headers in milliseconds. A date is compared with
 * the response's own `Date`, so that clock skew does not matter; a past date is 0. Of several values the longest counts,
 * whether they came as several headers or joined by commas, as intermediaries may do (RFC 9110, section 5.3).
 */
export function readRetryAfter(headers: ResponseHeaders, nowMs: number): number | null {
  const seconds = parseRetryAfter(headers, nowMs);
  return seconds === null ? null : Math.min(seconds, maxRetryAfterSeconds);
}

function parseRetryAfter(headers: ResponseHeaders, nowMs: number): number | null {
  const from = parseHttpDate(headers.date) ?? nowMs;
  const seconds = valuesOf(headers['retry-after']).flatMap((value) => {
    const at = parseHttpDate(value);
    return parseDecimal(value) ?? (at === null ? [] : Math.max(0, (at - from) / 1000));
  });
  const ms = valuesOf(headers['retry-after-ms'] ?? headers['x-ms-retry-after-ms']);
  const found =
    seconds.length > 0
      ? seconds
      : ms.flatMap((value) => parseDecimal(value) ?? []).map((value) => value / 1000);
  return found.length > 0 ? Math.ceil(Math.max(...found)) : null;
}

// A comma stands between two values, and after the day of a date.
const valuesOf = (header: string | readonly string[] | undefined): readonly string[] =>
  [header ?? []]
    .flat()
    .flatMap((text) => text.match(/[A-Z][a-z]+, [^,]*GMT|[^,\s][^,]*/g) ?? [])
    .map((value) => value.trim());

const parseDecimal = (text: string): number | null => (/^\d+(\.\d*)?$/.test(text) ? Number(text) : null);

function parseHttpDate(text: string | readonly string[] | undefined): number | null {
  // `Date.parse` also accepts '-5' and '1e9'; an HTTP date names its day and its zone.
  if (typeof text !== 'string' || !/^[A-Z][a-z]+,? .*GMT$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
