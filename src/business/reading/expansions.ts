import { LRUCache } from 'lru-cache';
import { UpstreamError } from '../../errors.ts';
import type { SelectedObject } from '../../graph/selected-object.ts';
import { classifyAbsence } from '../../http/absence.ts';
import { isResponseTooLong } from '../../http/transport-errors.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import type { RecordSet } from '../record-sets/record-set.ts';
import { createView, type ExpandedView, type RowView, type View } from './views.ts';

/**
 * Decides for one principal which relations are expanded by `$expand`. Relations whose expansion failed in the last ten
 * minutes are loaded by key instead.
 */
export interface ExpansionPlanner {
  /** Returns the view for a read of about this many rows. Equal selections and failures give the same view. */
  plan(set: RecordSet, selected: SelectedObject, rows: number): View;
  /** Returns the view for the reads of a write: it expands lines, and relations with `onCreate`. */
  planForWrite(set: RecordSet, selected: SelectedObject): View;
  /**
   * Reads with a view. If an optional expansion may have caused a failure, reads again without expansions; if this read
   * succeeds, remembers that the expansion fails. Throws the failure of the last read.
   */
  read<Result>(view: View, rows: number, read: (view: View) => Promise<Result>): Promise<Result>;
}

export interface ExpansionPlannerOptions {
  readonly dialect: Dialect;
  onRefused(refusal: { readonly expansion: string; readonly status: number | null }): void;
}

const rememberMs = 600_000;
const maxRefusals = 10_000;

/** Creates the planners of all principals. Planners share the refusals that hold for every caller. */
export function createExpansionPlanning({ dialect, onRefused }: ExpansionPlannerOptions) {
  // The smallest number of rows for which an expansion is refused, by path, or by principal and path.
  const minRefusedRows = new LRUCache<string, number>({
    // Not `max`, which allocates memory for all entries at once: most upstreams refuse nothing.
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
      const minRows = minRefusedRows.get(path) ?? minRefusedRows.get(`${principal} ${path}`);
      return minRows !== undefined && rows >= minRows;
    };

    /** Remembers that a read of this many rows failed with these expansions, and succeeded without them. */
    const rememberRefusal = (
      paths: readonly string[],
      reach: RefusalReach,
      failure: UpstreamError,
      rows: number,
    ) => {
      const named = paths.filter((path) => isNamed(path, failure));
      for (const path of named.length > 0 ? named : paths) {
        if (reach !== 'upstream') {
          minRefusedRows.set(`${principal} ${path}`, reach === 'size' ? Math.ceil(rows / 2) : 0);
          continue;
        }
        if (!minRefusedRows.has(path)) onRefused({ expansion: path, status: failure.status });
        minRefusedRows.set(path, 0);
      }
    };

    return {
      plan: (set, selected, rows) =>
        viewWithout(set, selected, minRefusedRows.size === 0 ? null : ({ path }) => isRefused(path, rows)),

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
          const paths = optional.map(({ path }) => path);
          rememberRefusal(paths, reach, error as UpstreamError, rows);
          return result;
        }
      },
    };
  };
}

/** All expansions, also nested ones. */
const listExpansions = ({ expansions }: RowView): ExpandedView[] =>
  expansions.flatMap((expansion) => [expansion, ...listExpansions(expansion.rows)]);

/** Why a read failed with expansions, given that the same read without them succeeds. */
type RefusalReach =
  /** The upstream does not support one of them. */
  | 'upstream'
  /** This principal may not read one of them. */
  | 'principal'
  /** The response would be too large, or take too long. */
  | 'size';

/** Classifies the failure of a read with expansions; null if expansions cannot be the cause. */
function reachOf(failure: UpstreamError): RefusalReach | null {
  if (failure.code === 'FORBIDDEN' || failure.code === 'UNAUTHENTICATED') return 'principal';
  if (isResponseTooLong(failure) || isBrokenOff(failure)) return 'size';
  // For example, a 200 whose body is an error.
  if (failure.code === 'UPSTREAM_BAD_RESPONSE') return 'principal';
  switch (failure.status) {
    case 400:
    case 405:
    case 422:
    case 501:
      return 'upstream';
    // A missing record is not the fault of an expansion.
    case 404:
      return classifyAbsence(failure) === 'proven' ? null : 'upstream';
    case 408:
    case 413:
    case 414:
    case 504:
      return 'size';
    // The real service also reports missing permissions with 500 (docs/upstream.md).
    case 500:
      return failure.detail?.code == null ? null : 'principal';
    default:
      return null;
  }
}

/** Whether the connection broke after the request was sent, in every attempt. */
const isBrokenOff = ({ code, status, delivery }: UpstreamError) =>
  code === 'UPSTREAM_UNAVAILABLE' && status === null && delivery === 'unknown';

/** Whether the upstream's message names the navigation, as in "Could not find a property named 'customer'". */
function isNamed(path: string, { detail }: UpstreamError): boolean {
  const navigation = path.slice(path.lastIndexOf('/') + 1);
  const message = detail?.message ?? '';
  return ["'", '"', '`'].some((quote) => message.includes(quote + navigation + quote));
}
