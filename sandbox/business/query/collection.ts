import { badRequestError } from '../../api-error.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, parseQuery } from '../../http.ts';
import { derivedGuid } from '../../seeded.ts';
import type { RecordLocation } from '../address.ts';
import type { Dialect } from '../dialect.ts';
import type { RecordValues, StoredRecord } from '../entity-set.ts';
import { compareRecords, filterAndSort, presentRecord, sortOrder } from './present.ts';
import { readQueryOptions } from './query.ts';

/** Default and maximum page size of the service (gap: see docs/upstream.md). */
const maxPageSize = 20_000;

/** The collection that a path addresses. */
export interface Collection extends RecordLocation {
  readonly dialect: Dialect;
  /** The records before filtering. */
  readonly records: Iterable<StoredRecord>;
}

/**
 * Responds with a page of a collection. A full page always has a continuation link, so the last page can be
 * empty. A response to `$top` never has one.
 */
export function respondWithCollection(
  collection: Collection,
  request: ApiRequest,
  pages: PageTokens,
): ApiResponse {
  const { set, company, dialect } = collection;
  const address = `${request.origin}${request.path}`;
  const parameters = parseQuery(request.query);
  const token = parameters.get('$skiptoken');
  const continued = token === undefined ? undefined : pages.find(token);
  if (token !== undefined && !continued)
    throw badRequestError('The $skiptoken is not known to this service.');

  const query = continued?.query ?? request.query;
  const options = readQueryOptions(parseQuery(query), set, dialect);
  const all = filterAndSort(set, collection.records, options, company);
  const orderBy = sortOrder(set, options);
  const remaining = continued
    ? all.filter((record) => compareRecords(record.values, continued.after, orderBy) > 0)
    : all.slice(options.skip);

  const preferred = readPreferredPageSize(request.headers.prefer);
  const pageSize = options.top ?? preferred ?? maxPageSize;
  const page = remaining.slice(0, Math.min(pageSize, maxPageSize));
  const last = page.at(-1);
  const isFull = options.top === undefined && page.length === pageSize && last !== undefined;

  return jsonResponse(
    200,
    {
      '@odata.context': collection.context,
      ...(options.isCounted ? { '@odata.count': all.length } : {}),
      value: page.map((record) => presentRecord(set, record, options, company)),
      ...(isFull
        ? {
            '@odata.nextLink': `${address}?aid=FIN&$skiptoken=${pages.store(address, query, last.values)}`,
          }
        : {}),
    },
    preferred === undefined || options.top !== undefined
      ? {}
      : { 'preference-applied': `odata.maxpagesize=${pageSize}` },
  );
}

function readPreferredPageSize(prefer: string | string[] | undefined): number | undefined {
  const size = /(?:^|[,;\s])odata\.maxpagesize\s*=\s*(\d+)/i.exec(String(prefer ?? ''))?.[1];
  if (size === undefined || Number(size) < 1) return undefined;
  return Math.min(Number(size), maxPageSize);
}

/**
 * Stores the ends of pages under opaque tokens. The query is stored too, because a link that contains it would
 * exceed the query limit of the service.
 */
export type PageTokens = ReturnType<typeof createPageTokens>;

const maxPageTokens = 10_000;

export function createPageTokens() {
  // The last record of a page, and the query that continues after it.
  const ends = new Map<string, { readonly query: string; readonly after: RecordValues }>();

  return {
    store(address: string, query: string, after: RecordValues): string {
      const token = derivedGuid(`${address}?${query}#${after.id}`);
      ends.delete(token);
      ends.set(token, { query, after });
      const oldest = ends.keys().next().value;
      if (ends.size > maxPageTokens && oldest !== undefined) ends.delete(oldest);
      return token;
    },
    find: (token: string) => ends.get(token),
  };
}
