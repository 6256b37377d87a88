export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An answer of an upstream within 2xx. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Headers;
  /** The parsed JSON, or null when the body is empty. */
  readonly body: unknown;
  /** What to do to the upstream's own texts before a caller sees them: no address, no token. */
  readonly discreet: (text: string, name: string) => string;
}
