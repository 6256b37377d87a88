/**
 * An instant of the graph as a text that sorts as the instant does, and is the same for the same instant,
 * however many digits its fraction has: milliseconds would lose some.
 */
export const timeKey = (instant: string): string => instant.replace(/(?:\.0*|(\.\d*[1-9])0*)?Z$/, '$1');
