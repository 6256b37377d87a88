const upstreamDateTimePattern =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)? ?(?:Z|([+-])(\d{2}):?(\d{2}))?$/;

/**
 * Parses an upstream's timestamp to the graph's DateTime; null if it is invalid.
 *
 * Keeps fraction digits. Converts offsets to UTC; a timestamp without an offset is UTC. Year 1, which means "unset" at some
 * upstreams, becomes null.
 */
export function parseDateTime(value: unknown): string | null {
  const utc = toUtc(value);
  return utc === null || utc < '0002' ? null : utc;
}

/** Like `parseDateTime`, but keeps year 1. */
export function toUtc(value: unknown): string | null {
  const match = typeof value === 'string' ? upstreamDateTimePattern.exec(value) : null;
  if (!match) return null;
  const [, date = '', time = '', fraction = '', sign, hours, minutes] = match;
  const ms = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(ms) || !isValidDate(date)) return null;
  const offsetMinutes = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  const utc = new Date(ms - offsetMinutes * 60_000).toISOString();
  // ISO strings of years outside 0 to 9999 begin with a sign.
  return /^\d/.test(utc) ? `${utc.slice(0, 19)}${fraction}Z` : null;
}

/** Whether a value is a valid date, YYYY-MM-DD. */
export function isValidDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const ms = Date.parse(`${value}T00:00:00Z`);
  // `Date.parse` reads 30 February as 1 or 2 March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value);
}
