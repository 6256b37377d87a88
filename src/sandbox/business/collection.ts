import type { Answer, Call } from '../http.ts';
import { json, readParameters } from '../http.ts';
import { badRequest } from '../refusal.ts';
import type { Dialect } from './dialect.ts';
import type { PageTokens } from './page-tokens.ts';
import { arrange, compareRecords, orderOf, presentRecord } from './present.ts';
import type { QueryOptions } from './query.ts';
import { readQueryOptions } from './query.ts';
import type { RecordSet } from './records.ts';
import type { Company, StoredRecord } from './store.ts';

/** Default and largest page of the service (gap: see docs/upstream.md). */
const maxPageSize = 20_000;

/** A record set of a company, as an address names it. */
export interface Collection {
  readonly set: RecordSet;
  readonly company: Company;
  readonly dialect: Dialect;
  /** The records to choose from; which these are can depend on what is asked. */
  records(options: QueryOptions): Iterable<StoredRecord>;
  /** The address without query, the start of a continuation link. */
  readonly address: string;
  readonly context: string;
}

/**
 * Answers a read of a collection, a page at a time. A full page always carries a continuation
 * link, so the last page can be empty; an answer to `$top` never carries one.
 */
export function answerCollection(collection: Collection, call: Call, pages: PageTokens): Answer {
  const { set, company, dialect } = collection;
  const asked = readParameters(call.query);
  const token = asked.get('$skiptoken');
  const continued = token === undefined ? undefined : pages.find(token);
  if (token !== undefined && !continued) throw badRequest('The $skiptoken is not known to this service.');

  const query = continued?.query ?? call.query;
  const options = readQueryOptions(readParameters(query), set, dialect);
  const all = arrange(set, collection.records(options), options, company);
  const orderBy = orderOf(set, options);
  const wanted = continued
    ? all.filter((record) => compareRecords(record.values, continued.after, orderBy) > 0)
    : all.slice(options.skip);

  const preferred = readPreferredSize(call.headers.prefer);
  const pageSize = options.top ?? preferred ?? maxPageSize;
  const page = wanted.slice(0, Math.min(pageSize, maxPageSize));
  const last = page.at(-1);
  const isFull = options.top === undefined && page.length === pageSize && last !== undefined;

  return json(
    200,
    {
      '@odata.context': collection.context,
      ...(options.isCounted ? { '@odata.count': all.length } : {}),
      value: page.map((record) => presentRecord(set, record, options, company)),
      ...(isFull
        ? {
            '@odata.nextLink': `${collection.address}?aid=FIN&$skiptoken=${pages.keep(collection.address, query, last.values)}`,
          }
        : {}),
    },
    preferred === undefined || options.top !== undefined
      ? {}
      : { 'preference-applied': `odata.maxpagesize=${pageSize}` },
  );
}

/** Answers `…/$count`: the number of records that pass the filter, as plain text. */
export function answerCount(collection: Collection, call: Call): Answer {
  const { set, company, dialect } = collection;
  const options = readQueryOptions(readParameters(call.query), set, dialect);
  const count = arrange(set, collection.records(options), options, company).length;
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: String(count) };
}

function readPreferredSize(prefer: string | string[] | undefined): number | undefined {
  const size = /(?:^|[,;\s])odata\.maxpagesize\s*=\s*(\d+)/i.exec(String(prefer ?? ''))?.[1];
  if (size === undefined || Number(size) < 1) return undefined;
  return Math.min(Number(size), maxPageSize);
}
