import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

const jsonMediaType = 'application/json; charset=utf-8';
const mediaTypes = [jsonMediaType, 'application/graphql-response+json; charset=utf-8'];
// A client may name the charset, although the type has no parameter: it is always UTF-8.
const eventStreamTypes = ['text/event-stream', 'text/event-stream; charset=utf-8'];

/** Returns the media type of a JSON response to a request; null if the client accepts none of ours. */
export function negotiateMediaType({ accept }: IncomingHttpHeaders): string | null {
  if (!accept || accept === '*/*') return jsonMediaType;
  return new Negotiator({ headers: { accept } }).mediaType([...mediaTypes]) ?? null;
}

/**
 * Returns which results a client takes as an event stream: `all` where it prefers the stream to JSON, and
 * `subscriptions` where it accepts both. Wildcards do not count: a client that reads streams names their type.
 */
export function negotiateEvents({ accept }: IncomingHttpHeaders): 'all' | 'subscriptions' | 'none' {
  if (!accept?.toLowerCase().includes('text/event-stream')) return 'none';
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes([...mediaTypes, ...eventStreamTypes]);
  const isEventStream = (type: string | undefined) => type !== undefined && eventStreamTypes.includes(type);
  if (isEventStream(accepted[0])) return 'all';
  return accepted.some(isEventStream) ? 'subscriptions' : 'none';
}
