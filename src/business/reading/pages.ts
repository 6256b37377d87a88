import { InputError, UpstreamError } from '../../errors.ts';
import { badResponseError } from '../../http/errors.ts';
import { followPages, readContinuation } from '../../http/pagination.ts';
import { type ODataRow, requireCollection } from '../../odata/collection.ts';
import type { ReadOptions, Reads } from './reads.ts';
import { appendQuery, explainRelations, recordPath, type View } from './views.ts';

/** One page of a collection as the upstream returned it. */
export interface CollectionPage {
  /** The view that was read: the plain view if the URL would have been too long with expansions. */
  readonly view: View;
  readonly rows: readonly ODataRow[];
  /** The query parameters of the next page; null on the last. */
  readonly next: string | null;
  /** How many rows the whole collection has; null if not requested. */
  readonly count: number | null;
}

export interface PageRequest extends Pick<ReadOptions, 'size' | 'keys' | 'group' | 'kind'> {
  readonly filter?: string | null;
  readonly orderBy?: string | null;
  readonly count?: boolean;
  /** The continuation of an earlier page; null or '' for the first page. */
  readonly continuation?: string | null;
  /** The adaptive page size of the list. Without it, a page that timed out is not requested again with fewer rows. */
  readonly pageSize?: PageSize;
}

/** The real service responds 414 to queries of more than 8,099 characters (docs/upstream.md). */
export const maxQueryLength = 8000;
export const filterTooLong = 'The filter is too long for the upstream: name fewer values in it.';

/** Reads one page. This takes one upstream call, unless the page times out at the upstream. */
export async function readPage(
  reads: Reads,
  view: View,
  companyId: string | null,
  request: PageRequest,
): Promise<CollectionPage> {
  const { filter, orderBy, count, continuation, pageSize, size, keys, group, kind } = request;
  const set = recordPath(view.set, companyId);
  const options: Record<string, string> = {};
  if (filter) options.$filter = filter;
  if (orderBy) options.$orderby = orderBy;
  if (count) options.$count = 'true';
  const path = appendQuery(set, view, options);
  if (path.length - set.length > maxQueryLength) {
    if (view.plain) return readPage(reads, view.plain, companyId, request);
    throw new InputError(filterTooLong);
  }
  const pagePath = continuation ? `${path}&${continuation}` : path;
  const relations = () => explainRelations(view);
  const read = (most: number | undefined) =>
    reads.get(pagePath, { size: most, keys, group, kind, relations });
  const answer = pageSize && size !== undefined ? await pageSize.read(size, read) : await read(size);
  const collection = requireCollection('business', answer);
  const next =
    collection.nextLink === null
      ? null
      : readContinuation('business', collection.nextLink, set, ownOptionsOf(reads));
  if (next !== null && next === continuation) {
    throw badResponseError('business', "The upstream's next link points to the same page.");
  }
  return { view, rows: collection.value, next, count: collection.count };
}

/** Reads a collection page by page, until its end or until it has `atMost` rows. */
export async function readAllPages(
  reads: Reads,
  view: View,
  companyId: string | null,
  request: PageRequest & { readonly atMost: number },
): Promise<readonly ODataRow[]> {
  let rows: readonly ODataRow[] = [];
  const pages = followPages('business', '', (continuation) =>
    readPage(reads, view, companyId, { ...request, continuation }),
  );
  for await (const page of pages) {
    rows = rows.concat(page.rows);
    if (rows.length >= request.atMost) break;
  }
  return rows;
}

// The options that Tributary sets itself on every page.
const ownQueryOptions = new Set(['$select', '$expand', '$filter', '$orderby', '$count', '$top']);

const ownOptionsOf = ({ addedParameters }: Reads): ReadonlySet<string> =>
  addedParameters.size === 0 ? ownQueryOptions : new Set([...ownQueryOptions, ...addedParameters]);

/**
 * The adaptive page size of one list. A page that times out at the upstream is requested again with half as many rows, and
 * later pages keep this size.
 */
export interface PageSize {
  /** Reads a page of at most `wanted` rows; `read` gets the size to request. Throws the error of the last `read`. */
  read<Page>(wanted: number, read: (size: number) => Promise<Page>): Promise<Page>;
}

// Three halvings reach an eighth: a list that always times out is requested four times.
const smallestFraction = 8;
const fewestRows = 5;

export function createPageSize(): PageSize {
  let atMost = Number.POSITIVE_INFINITY;
  let floor: number | null = null;

  return {
    async read(wanted, read) {
      for (;;) {
        const size = Math.min(wanted, atMost);
        try {
          return await read(size);
        } catch (error) {
          floor ??= Math.max(fewestRows, Math.ceil(size / smallestFraction));
          const half = Math.max(floor, Math.ceil(size / 2));
          if (!isUpstreamTimeout(error) || half >= size) throw error;
          atMost = half;
        }
      }
    },
  };
}

/** Reads the rows of these keys: all keys at once; after a timeout at the upstream, fewer keys at a time. */
export async function readInParts<Row>(
  keys: readonly string[],
  read: (some: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const pageSize = createPageSize();
  const rows: Row[] = [];
  for (let at = 0; at < keys.length; ) {
    const part = await pageSize.read(keys.length - at, async (size) => {
      const some = keys.slice(at, at + size);
      rows.push(...(await read(some)));
      return some;
    });
    at += part.length;
  }
  return rows;
}

/** Whether the upstream reported a timeout (docs/upstream.md). Tributary's own deadline has no status. */
const isUpstreamTimeout = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.status === 504 || error.status === 408);
