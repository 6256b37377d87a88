import { isJsonObject, stringOrNull } from '../runtime/json.ts';
import type { ResponseHeaders, UpstreamResponse } from './response.ts';

// The id of the request first, then that of a group of requests.
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
 * Reads the upstream's own id of a request, for its operators: from the headers, else from the error message. Null where
 * there is none, or redaction would change it.
 */
export function readUpstreamRequestId({
  headers,
  body,
  redact,
}: Pick<UpstreamResponse, 'headers' | 'body' | 'redact'>): string | null {
  const id = readIdHeader(headers) ?? readCorrelationId(body);
  return id !== null && redact(id, 'requestId') === id ? id : null;
}

/** Returns the headers of a part of a batch, with the request id of the whole response where the part has none. */
export function inheritRequestId(whole: ResponseHeaders, part: ResponseHeaders): ResponseHeaders {
  const id = readIdHeader(part) === null ? readIdHeader(whole) : null;
  return id === null ? part : { ...part, 'request-id': id };
}
