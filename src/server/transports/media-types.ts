import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

const defaultMediaType = 'application/json; charset=utf-8';
const mediaTypes = [defaultMediaType, 'application/graphql-response+json; charset=utf-8'];
const eventStreamType = 'text/event-stream';

/** Returns the media type of a JSON response to a request; null if the client accepts none of ours. */
export function negotiateMediaType({ accept }: IncomingHttpHeaders): string | null {
  if (!accept || accept === '*/*') return defaultMediaType;
  return new Negotiator({ headers: { accept } }).mediaType([...mediaTypes]) ?? null;
}

/**
 * Returns which results a client takes as an event stream: `all` where it prefers the stream to JSON, and
 * `subscriptions` where it accepts both. Wildcards do not count: a client that reads streams names their type.
 */
export function negotiateEvents({ accept }: IncomingHttpHeaders): 'all' | 'subscriptions' | 'none' {
  if (!accept?.toLowerCase().includes(eventStreamType)) return 'none';
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes([...mediaTypes, eventStreamType]);
  if (accepted[0] === eventStreamType) return 'all';
  return accepted.includes(eventStreamType) ? 'subscriptions' : 'none';
}
