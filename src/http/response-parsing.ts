import { UpstreamError, type UpstreamName } from '../errors.ts';
import { parseJson } from '../runtime/json.ts';
import type { RawResponse } from './exchange.ts';
import { readUpstreamRequestId } from './request-ids.ts';
import type { UpstreamResponse } from './response.ts';
import { toTransportError } from './transport-errors.ts';
import { readContentCoding } from './wire/content-codings.ts';

const jsonStart = /^\s*(?:[[{]|$)/;

const notJson = 'The upstream responded with something other than JSON.';
const codingNotRequested = 'The upstream responded in a content coding that was not requested.';

/** The JSON of a 2xx response; throws an `UpstreamError` where it is none. */
export function parseOrThrow(
  upstream: UpstreamName,
  response: UpstreamResponse,
  { headers, text, isDelimited }: RawResponse,
  isCompressionRequested: boolean,
): unknown {
  try {
    if (text !== null) return parseJson(text);
  } catch {
    // The parser's error quotes the body, so it is not kept as the cause.
    if (text !== null && !isDelimited && jsonStart.test(text))
      throw toTransportError(
        upstream,
        new Error('The connection was closed before the response was complete.'),
        'unknown',
      );
  }
  const isCodingKnown = readContentCoding(headers, isCompressionRequested) !== undefined;
  throw new UpstreamError('UPSTREAM_BAD_RESPONSE', isCodingKnown ? notJson : codingNotRequested, {
    upstream,
    delivery: 'unknown',
    status: response.status,
    upstreamRequestId: readUpstreamRequestId(response),
  });
}

/** The JSON of a text; null where it is none. */
export function parseOrNull(text: string | null): unknown {
  try {
    return text === null ? null : parseJson(text);
  } catch {
    return null;
  }
}
