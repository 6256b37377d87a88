export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The headers of a response, or of a part of a batch: names in lower case, and values without the blanks around them, which
 * the parser of undici leaves behind a value. A header that came several times is a list only where its values differ.
 */
export function readHeaders(received: Readonly<Record<string, unknown>>): ResponseHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const [name, given] of Object.entries(received)) {
    const texts = [given].flat().filter((value) => typeof value === 'string' || typeof value === 'number');
    const [first, ...others] = new Set(texts.map((text) => String(text).trim()));
    if (first !== undefined) headers[name.toLowerCase()] = others.length > 0 ? [first, ...others] : first;
  }
  return headers;
}

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
