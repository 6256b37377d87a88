export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** An answer of an upstream within 2xx. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Headers;
  /** The parsed JSON, or null when the body is empty. */
  readonly body: unknown;
}
