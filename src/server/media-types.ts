import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

// The first is for those who do not say what they take.
const mediaTypes = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/** The media type of an answer to a request with these headers; null where the client takes none there is. */
export function mediaTypeFor({ accept }: IncomingHttpHeaders): string | null {
  return new Negotiator({ headers: { accept: accept || '*/*' } }).mediaType(mediaTypes) ?? null;
}
