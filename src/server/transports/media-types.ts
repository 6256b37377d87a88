import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

const defaultMediaType = 'application/json; charset=utf-8';
const mediaTypes = [defaultMediaType, 'application/graphql-response+json; charset=utf-8'];

/** Returns the media type of the response to a request; null if the client accepts none of ours. */
export function negotiateMediaType({ accept }: IncomingHttpHeaders): string | null {
  if (!accept || accept === '*/*') return defaultMediaType;
  return new Negotiator({ headers: { accept } }).mediaType([...mediaTypes]) ?? null;
}
