const instant = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(\.\d+)? ?(?:Z|([+-])(\d{2}):?(\d{2}))?$/;

/**
 * An upstream's instant as the graph's DateTime, or null when it is none.
 *
 * Fraction digits survive. Other offsets are converted to UTC, and without one UTC is meant. Year 1, which
 * some upstreams write for "unset", is null.
 */
export function readTime(value: unknown): string | null {
  const match = typeof value === 'string' ? instant.exec(value) : null;
  if (!match) return null;
  const [, date = '', time = '', fraction = '', sign, hours, minutes] = match;
  const ms = Date.parse(`${date}T${time}Z`);
  if (Number.isNaN(ms) || !isDate(date)) return null;
  const offsetMinutes = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  const utc = new Date(ms - offsetMinutes * 60_000).toISOString();
  // Years outside 0 to 9999 begin with a sign, which sorts before every digit.
  return utc < '0002' ? null : `${utc.slice(0, 19)}${fraction}Z`;
}

/** True for a day of the calendar, written YYYY-MM-DD. */
export function isDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && isOnCalendar(`${value}T00:00:00Z`);
}

/** False for an instant such as noon on the 30th of February, which Date.parse takes for the 1st of March. */
export function isOnCalendar(instant: string): boolean {
  const ms = Date.parse(instant);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === instant.slice(0, 10);
}
