import { InputError } from '../errors.ts';
import type { RowRange } from '../upstream/cut-rows.ts';
import { badResponse } from '../upstream/error-answers.ts';
import { continuationOf } from '../upstream/next-link.ts';
import { type Row, readCollection } from '../upstream/odata.ts';
import type { Reads } from './reads.ts';
import { pathOf, type View, withOptions } from './views.ts';

/** One page of a collection as the upstream gave it. */
export interface Page {
  readonly rows: readonly Row[];
  /** What to ask for the page after this one, or null when this is the last. */
  readonly next: string | null;
  /** How many rows the whole collection has, where it was asked. */
  readonly count: number | null;
}

export interface PageRequest {
  readonly filter?: string | null;
  readonly orderBy?: string | null;
  readonly count?: boolean;
  /** How many rows a page may have; the upstream's own choice when left out. */
  readonly size?: number;
  /** The rows of the page that will be looked at; all when left out. */
  readonly rows?: RowRange;
  /** How many keys the filter names; for explanations only. */
  readonly keys?: number;
  /** `poll` where whoever asks does so again. */
  readonly kind?: 'read' | 'poll';
  /** A continuation from an earlier page; null is the first page. */
  readonly continuation?: string | null;
}

/** The real service answers 414 above 8,099 characters of query (docs/upstream.md). */
export const maxQueryLength = 8000;
export const tooLong = 'The filter is too long for the upstream: name fewer values in it.';

/** Reads one page: one upstream call. */
export async function readPage(
  reads: Reads,
  view: View,
  companyId: string | null,
  { filter, orderBy, count, size, rows, keys, kind, continuation }: PageRequest,
): Promise<Page> {
  const set = pathOf(view.set, companyId);
  const options: Record<string, string> = {};
  if (filter) options.$filter = filter;
  if (orderBy) options.$orderby = orderBy;
  if (count) options.$count = 'true';
  const path = withOptions(set, view, options);
  if (path.length - set.length > maxQueryLength) throw new InputError(tooLong);
  const answer = await reads.get(continuation ? `${path}&${continuation}` : path, {
    size,
    rows,
    keys,
    ...(kind && { kind }),
  });
  const collection = readCollection(answer.body);
  if (!collection)
    throw badResponse('business', 'The upstream answered a list with something other than a list.');
  const next =
    collection.nextLink === null ? null : continuationOf('business', collection.nextLink, set, ours);
  if (next !== null && next === continuation) {
    throw badResponse('business', 'The upstream names a page as the one after itself.');
  }
  return { rows: collection.value, next, count: collection.count };
}

// An upstream that names one more page for ever would otherwise be read for ever.
const maxPages = 50;

/** Reads a collection page after page, until its end or until `atMost` of them are there. */
export async function readAll(
  reads: Reads,
  view: View,
  companyId: string | null,
  request: PageRequest & { readonly atMost: number },
): Promise<readonly Row[]> {
  let rows: readonly Row[] = [];
  let continuation: string | null = null;
  for (let pages = 0; pages < maxPages; pages++) {
    const page: Page = await readPage(reads, view, companyId, { ...request, continuation });
    rows = rows.concat(page.rows);
    continuation = page.next;
    if (continuation === null || rows.length >= request.atMost) return rows;
  }
  throw badResponse('business', 'The upstream leads from page to page without an end.');
}

// The options this layer writes itself, afresh on every page.
const ours = new Set(['$select', '$expand', '$filter', '$orderby', '$count', '$top']);
