import { derivedGuid } from '../seeded.ts';
import type { Values } from './records.ts';

/** Where a page ended, and the query whose next page follows. */
interface PageEnd {
  readonly query: string;
  readonly after: Values;
}

/**
 * Remembers where pages ended under opaque tokens. The query is kept here and not in the link,
 * which would otherwise grow past the longest query the service takes.
 */
export interface PageTokens {
  keep(address: string, query: string, after: Values): string;
  find(token: string): PageEnd | undefined;
}

const maxTokens = 10_000;

export function createPageTokens(): PageTokens {
  const ends = new Map<string, PageEnd>();

  return {
    keep(address, query, after) {
      const token = derivedGuid(`${address}?${query}#${after.id}`);
      ends.delete(token);
      ends.set(token, { query, after });
      const oldest = ends.keys().next().value;
      if (ends.size > maxTokens && oldest !== undefined) ends.delete(oldest);
      return token;
    },
    find: (token) => ends.get(token),
  };
}
