export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Removes tokens and addresses from a text of the upstream before a caller sees it. `name` is the name of the field that
 * holds the text: a `code` is changed less, since programs compare it.
 */
export type Redact = (text: string, name: string) => string;

/** A 2xx response of an upstream. */
export interface UpstreamResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  /** The parsed JSON, or null when the body is empty. */
  readonly body: unknown;
  /** The length of the body as it was read, decompressed; null for a part of a batch. */
  readonly bytes: number | null;
  readonly redact: Redact;
}
