import { isJsonObject, stringOrNull } from '../runtime/json.ts';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Normalizes the headers of a response or of a part of a batch: lower-case names, and values without the trailing
 * blanks that undici leaves. A repeated header is a list only if its values differ.
 */
export function readHeaders(received: Readonly<Record<string, unknown>>): ResponseHeaders {
  const headers: Record<string, string | string[]> = {};
  for (const [name, header] of Object.entries(received)) {
    if (typeof header === 'string') {
      headers[name.toLowerCase()] = header.trim();
      continue;
    }
    const texts = [header].flat().filter((value) => typeof value === 'string' || typeof value === 'number');
    const [first, ...others] = new Set(texts.map((text) => String(text).trim()));
    if (first !== undefined) headers[name.toLowerCase()] = others.length > 0 ? [first, ...others] : first;
  }
  return headers;
}

/**
 * Removes tokens and addresses from a text of the upstream before a caller sees it. `name` is the field that contains the
 * text: a `code` is changed less, since programs compare it.
 */
export type Redact = (text: string, name: string) => string;

/** A 2xx response of an upstream. */
export interface UpstreamResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  /** The parsed JSON; null if the body is empty. */
  readonly body: unknown;
  /** The decompressed length of the body; null for a part of a batch. */
  readonly bytes: number | null;
  readonly redact: Redact;
}

// The id of the request comes first, then the id of a group of requests.
const requestIdHeaders = ['request-id', 'x-ms-request-id', 'x-ms-correlation-request-id'] as const;
const requestIdPattern = /^[\w.:-]{1,128}$/;

function readIdHeader(headers: ResponseHeaders): string | null {
  for (const name of requestIdHeaders) {
    const value = headers[name];
    if (typeof value === 'string' && requestIdPattern.test(value)) return value;
  }
  return null;
}

// Error messages of area A end like this, in every language.
const correlationIdPattern = /CorrelationId:\s{1,8}([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/i;
const maxSearchedLength = 1_024;

function readCorrelationId(body: unknown): string | null {
  const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : null;
  return (
    correlationIdPattern.exec(stringOrNull(error?.message)?.slice(-maxSearchedLength) ?? '')?.[1] ?? null
  );
}

/**
 * Reads the upstream's own id of a request, for its operators: from the headers, else from the error message. Null without
 * one, or if redaction would change it.
 */
export function readUpstreamRequestId({
  headers,
  body,
  redact,
}: Pick<UpstreamResponse, 'headers' | 'body' | 'redact'>): string | null {
  const id = readIdHeader(headers) ?? readCorrelationId(body);
  return id !== null && redact(id, 'requestId') === id ? id : null;
}

/** Returns the headers of a part of a batch. A part without a request id gets that of the whole response. */
export function inheritRequestId(whole: ResponseHeaders, part: ResponseHeaders): ResponseHeaders {
  const id = readIdHeader(part) === null ? readIdHeader(whole) : null;
  return id === null ? part : { ...part, 'request-id': id };
}

// RFC 9111, section 1.2.2: a larger number of seconds counts as this one.
const maxRetryAfterSeconds = 2 ** 31;

/**
 * Reads `Retry-After`, a number or an HTTP date, as whole seconds; null if it is missing or invalid. A date is compared
 * with the response's own `Date`, so that clock skew does not matter; a past date is 0. Of several headers the longest
 * counts.
 */
export function readRetryAfter(headers: ResponseHeaders, nowMs: number): number | null {
  const from = parseHttpDate(headers.date) ?? nowMs;
  const seconds = [headers['retry-after'] ?? []].flat().flatMap((value) => {
    const at = parseHttpDate(value);
    return parseDecimal(value) ?? (at === null ? [] : Math.max(0, (at - from) / 1000));
  });
  return seconds.length > 0 ? Math.min(Math.ceil(Math.max(...seconds)), maxRetryAfterSeconds) : null;
}

const parseDecimal = (text: string): number | null => (/^\d+(\.\d*)?$/.test(text) ? Number(text) : null);

function parseHttpDate(text: string | readonly string[] | undefined): number | null {
  // `Date.parse` also accepts '-5' and '1e9'; an HTTP date contains its day and zone.
  if (typeof text !== 'string' || !/^[A-Z][a-z]+,? .*GMT$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
