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
  if (Number.isNaN(ms) || !isOnCalendar(date)) return null;
  const offsetMinutes = sign === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  const utc = new Date(ms - offsetMinutes * 60_000).toISOString();
  // Years outside 0 to 9999 begin with a sign, which sorts before every digit.
  return utc < '0002' ? null : `${utc.slice(0, 19)}${fraction}Z`;
}

// Date.parse takes the 30th of February for the 1st of March; reading it back shows the difference.
const isOnCalendar = (date: string): boolean => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
