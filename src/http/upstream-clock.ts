/** How far an upstream's clock is ahead of this one, by the `date` of its responses (RFC 9110, in whole seconds). */
export interface UpstreamClock {
  /** Call it as soon as a response has come. A text that is no date is ignored. */
  observe(date: unknown): void;
  /** Milliseconds; 0 until a response has told. */
  offsetMs(): number;
}

export function createUpstreamClock(now: () => number = Date.now): UpstreamClock {
  let offsetMs = 0;
  return {
    observe(date) {
      const at = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      if (!Number.isNaN(at)) offsetMs = at - now();
    },
    offsetMs: () => offsetMs,
  };
}
