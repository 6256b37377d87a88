/** The start of time: an instant before every change. */
export const epoch = '1970-01-01T00:00:00Z';

// Records may appear in reads later than others that were changed after them.
const overlapMs = 10_000;

/** An instant as far back as a record changed since may not have appeared in reads yet. */
export const minusOverlap = (instant: string): string =>
  new Date(Math.max(0, Date.parse(instant) - overlapMs)).toISOString();

export const isEarlier = (left: string, right: string): boolean => Date.parse(left) < Date.parse(right);
export const laterOf = (left: string, right: string): string => (isEarlier(left, right) ? right : left);
export const earlierOf = (left: string, right: string): string => (isEarlier(left, right) ? left : right);
