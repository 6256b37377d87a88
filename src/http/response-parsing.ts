import { UpstreamError, type UpstreamName } from '../errors.ts';
import { parseJson } from '../runtime/json.ts';
import { cutText } from '../runtime/text.ts';
import type { RawResponse } from './exchange.ts';
import { readUpstreamRequestId, type UpstreamResponse } from './response.ts';
import { readContentCoding } from './wire/body-reader.ts';

const jsonStart = /^\s*(?:[[{]|$)/;
const jsonString = /"[^"\\]*(?:\\.[^"\\]*)*"/gs;

/** Whether a text that is no JSON is the beginning of some: it is blank, or what it opens stays open. */
function isCut(text: string): boolean {
  const rest = text.replace(jsonString, '');
  const count = (brackets: RegExp) => rest.match(brackets)?.length ?? 0;
  return jsonStart.test(text) && (/^\s*$|"/.test(rest) || count(/[[{]/g) > count(/[\]}]/g));
}

const notJson = 'The upstream responded with something other than JSON.';
const codingNotRequested = 'The upstream responded in a content coding that was not requested.';

/** The JSON of a 2xx response; throws an `UpstreamError` where it is none. */
export function parseOrThrow(
  upstream: UpstreamName,
  response: UpstreamResponse,
  { headers, text }: RawResponse,
  isCompressionRequested: boolean,
): unknown {
  try {
    if (text !== null) return parseJson(text);
  } catch {
    // The parser's error quotes the body, so it is not kept as the cause.
    // Of a known length too: an intermediary may have cut what it buffered.
    if (text !== null && isCut(text))
      throw new UpstreamError(
        'UPSTREAM_UNAVAILABLE',
        'The upstream responded with JSON that was cut short.',
        {
          upstream,
          delivery: 'unknown',
          upstreamRequestId: readUpstreamRequestId(response),
          // A read is retried, as after a broken connection.
          cause: new Error('The response is not complete.'),
        },
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

// The error stands in the first kilobytes.
const maxMarkupLength = 16 * 1024;

/**
 * Reads the code and message, as plain text, of an error in XML (`<error><code>…</code><message>…</message></error>`, as the
 * gateway of the real service writes it); of an HTML page, the title as message and no code. Null for anything else.
 */
export function readMarkup(text: string): { readonly code: string | null; readonly message: string } | null {
  const start = cutText(text, maxMarkupLength);
  if (!/^\s*</.test(start)) return null;
  const message = readElement(start, openingTags.message) ?? readElement(start, openingTags.title);
  if (message === null) return null;
  // In HTML, `<code>` is text in a monospaced font.
  return { code: openingTags.html.test(start) ? null : readElement(start, openingTags.code), message };
}

const openingTags = {
  html: /<html(?:\s[^<>]{0,500})?>/i,
  code: /<(?:\w{1,20}:)?code(?:\s[^<>]{0,500})?>/i,
  message: /<(?:\w{1,20}:)?message(?:\s[^<>]{0,500})?>/i,
  title: /<title(?:\s[^<>]{0,500})?>/i,
};

function readElement(text: string, opening: RegExp): string | null {
  const found = opening.exec(text);
  if (!found) return null;
  const from = found.index + found[0].length;
  const to = text.indexOf('<', from);
  const content = unescapeEntities(text.slice(from, to === -1 ? undefined : to)).trim();
  return content === '' ? null : content;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const unescapeEntities = (text: string) =>
  text.replace(/&(lt|gt|quot|apos|amp|#39);/g, (_all, name: string) => entities[name] ?? "'");
