/**
 * Converts an instant of the graph to a text that sorts as the instant does, and is equal for equal instants with any
 * number of fractional digits. A number of milliseconds would lose digits.
 */
export const toSortableTime = (instant: string): string =>
  instant.replace(/(?:\.0*|(\.\d*[1-9])0*)?Z$/, '$1');
