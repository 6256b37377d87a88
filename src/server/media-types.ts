import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

const unlessAsked = 'application/json; charset=utf-8';
const mediaTypes = [unlessAsked, 'application/graphql-response+json; charset=utf-8'];

/** The media type of an answer to a request with these headers; null where the client takes none there is. */
export function mediaTypeFor({ accept }: IncomingHttpHeaders): string | null {
  if (!accept || accept === '*/*') return unlessAsked;
  return new Negotiator({ headers: { accept } }).mediaType([...mediaTypes]) ?? null;
}
