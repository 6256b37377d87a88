import { LRUCache } from 'lru-cache';
import { UpstreamError } from '../../errors.ts';
import type { SelectedObject } from '../../graph/selected-object.ts';
import { classifyAbsence } from '../../http/absence.ts';
import { isResponseTooLong } from '../../http/transport-errors.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import type { Dialect } from '../dialect.ts';
import type { RecordSet } from '../record-set.ts';
import { createView, type ExpandedView, type RowView, type View } from './views.ts';

/**
 * Decides, for one principal, which relations come with their owner by `$expand`: all but those that the upstream refused in
 * the last ten minutes, which are loaded by key.
 */
export interface ExpansionPlanner {
  /** The view to read about this many rows of a set with. The same selection and refusals give the same view. */
  plan(set: RecordSet, selected: SelectedObject, rows: number): View;
  /** The view of reads that belong to a write: with the lines, and with references that are always small. */
  planForWrite(set: RecordSet, selected: SelectedObject): View;
  /**
   * Reads with a view. If that fails in a way that an optional expansion may have caused, reads without them, and remembers
   * the refusal if that succeeds. Throws the failure of the last read.
   */
  read<Result>(view: View, rows: number, read: (view: View) => Promise<Result>): Promise<Result>;
}

export interface ExpansionPlannerOptions {
  readonly dialect: Dialect;
  onRefused(refusal: { readonly expansion: string; readonly status: number | null }): void;
}

const rememberMs = 600_000;
const maxRefusals = 10_000;

/** Creates the planners of all principals. They share the refusals that concern every caller. */
export function createExpansionPlanning({ dialect, onRefused }: ExpansionPlannerOptions) {
  // By path, or by principal and path: the least number of rows for which the expansion is refused.
  const refusals = new LRUCache<string, number>({
    // `max` would allocate memory for all entries at once, and most upstreams refuse nothing.
    maxSize: maxRefusals,
    sizeCalculation: () => 1,
    ttl: rememberMs,
  });
  const viewsBySelection = new WeakMap<SelectedObject, Map<RecordSet, Map<string, View>>>();

  const viewWithout = (
    set: RecordSet,
    selected: SelectedObject,
    isLeftOut: ((expansion: ExpandedView) => boolean) | null,
  ): View => {
    const ofSelection = getOrCompute(viewsBySelection, selected, () => new Map());
    const views = getOrCompute(
      ofSelection,
      set,
      () => new Map([['', createView(set, dialect, selected)]]),
    ) as Map<string, View>;
    const all = views.get('') as View;
    if (isLeftOut === null || all.plain === null) return all;
    const leftOut = listExpansions(all).filter((expansion) => !expansion.isMany && isLeftOut(expansion));
    const paths = leftOut.map(({ path }) => path);
    return getOrCompute(views, paths.join(' '), () =>
      createView(set, dialect, selected, ({ path }) => !paths.includes(path)),
    );
  };

  return (principal: string): ExpansionPlanner => {
    const isRefused = (path: string, rows: number) => {
      const fromRows = refusals.get(path) ?? refusals.get(`${principal} ${path}`);
      return fromRows !== undefined && rows >= fromRows;
    };

    /** A read of so many rows failed with these expansions, and succeeded without them. */
    const refuse = (paths: readonly string[], reach: RefusalReach, failure: UpstreamError, rows: number) => {
      const named = paths.filter((path) => isNamed(path, failure));
      for (const path of named.length > 0 ? named : paths) {
        if (reach !== 'upstream') {
          refusals.set(`${principal} ${path}`, reach === 'size' ? Math.ceil(rows / 2) : 0);
          continue;
        }
        if (!refusals.has(path)) onRefused({ expansion: path, status: failure.status });
        refusals.set(path, 0);
      }
    };

    return {
      plan: (set, selected, rows) =>
        viewWithout(set, selected, refusals.size === 0 ? null : ({ path }) => isRefused(path, rows)),

      planForWrite: (set, selected) =>
        viewWithout(set, selected, ({ path, onCreate }) => !onCreate || isRefused(path, 1)),

      async read(view, rows, read) {
        if (view.plain === null) return read(view);
        try {
          return await read(view);
        } catch (error) {
          const reach = error instanceof UpstreamError ? reachOf(error) : null;
          if (reach === null) throw error;
          const result = await read(view.plain);
          const optional = listExpansions(view).filter(({ isRequired }) => !isRequired);
          refuse(
            optional.map(({ path }) => path),
            reach,
            error as UpstreamError,
            rows,
          );
          return result;
        }
      },
    };
  };
}

/** All expansions, also nested ones. */
const listExpansions = ({ expansions }: RowView): ExpandedView[] =>
  expansions.flatMap((expansion) => [expansion, ...listExpansions(expansion.rows)]);

/** What a failed read says about its expansions, if the same read without them succeeds. */
type RefusalReach =
  /** The upstream does not support one of them. */
  | 'upstream'
  /** This principal may not read one of them. */
  | 'principal'
  /** The response would be too large, or take too long. */
  | 'size';

/** What a failure says about the expansions of its read, if the read succeeds without them; null where they are not to blame. */
function reachOf(failure: UpstreamError): RefusalReach | null {
  if (failure.code === 'FORBIDDEN' || failure.code === 'UNAUTHENTICATED') return 'principal';
  if (isResponseTooLong(failure) || isBrokenOff(failure)) return 'size';
  // For example a 200 with an error in place of the rows.
  if (failure.code === 'UPSTREAM_BAD_RESPONSE') return 'principal';
  switch (failure.status) {
    case 400:
    case 405:
    case 422:
    case 501:
      return 'upstream';
    // Unless it says that there is no such record.
    case 404:
      return classifyAbsence(failure) === 'proven' ? null : 'upstream';
    case 408:
    case 413:
    case 414:
    case 504:
      return 'size';
    // The real service reports missing permissions so, too (docs/upstream.md).
    case 500:
      return failure.detail?.code == null ? null : 'principal';
    default:
      return null;
  }
}

/** Whether the connection broke after the request, every time that it was sent. */
const isBrokenOff = ({ code, status, delivery }: UpstreamError) =>
  code === 'UPSTREAM_UNAVAILABLE' && status === null && delivery === 'unknown';

/** Whether the upstream's message names the navigation, as in "Could not find a property named 'customer'". */
function isNamed(path: string, { detail }: UpstreamError): boolean {
  const navigation = path.slice(path.lastIndexOf('/') + 1);
  const message = detail?.message ?? '';
  return ["'", '"', '`'].some((quote) => message.includes(quote + navigation + quote));
}
