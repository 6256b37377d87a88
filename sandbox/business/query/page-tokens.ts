import { derivedGuid } from '../../seeded.ts';
import type { RecordValues } from '../values.ts';

/** The last record of a page, and the query that continues after it. */
interface PageEnd {
  readonly query: string;
  readonly after: RecordValues;
}

/**
 * Stores the ends of pages under opaque tokens. The query is stored too, because a link that contains it would
 * exceed the query limit of the service.
 */
export interface PageTokens {
  store(address: string, query: string, after: RecordValues): string;
  find(token: string): PageEnd | undefined;
}

const maxPageTokens = 10_000;

export function createPageTokens(): PageTokens {
  const ends = new Map<string, PageEnd>();

  return {
    store(address, query, after) {
      const token = derivedGuid(`${address}?${query}#${after.id}`);
      ends.delete(token);
      ends.set(token, { query, after });
      const oldest = ends.keys().next().value;
      if (ends.size > maxPageTokens && oldest !== undefined) ends.delete(oldest);
      return token;
    },
    find: (token) => ends.get(token),
  };
}
