import { LRUCache } from 'lru-cache';
import { UpstreamError } from '../../errors.ts';
import type { SelectedObject } from '../../graph/selected-object.ts';
import { classifyAbsence } from '../../http/absence.ts';
import { isResponseTooLong } from '../../http/transport-errors.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import type { Dialect } from '../dialect.ts';
import type { RecordSet } from '../record-set.ts';
import type { RowParser } from './row-parser.ts';
import { createView, type ExpandedView, type RowView, type View } from './views.ts';

/** Decides, for one principal, which relations come with their owner by `$expand`: all but those that were refused, which are loaded by key. */
export interface ExpansionPlanner {
  /** The view to read about this many rows of a set with. The same selection and refusals give the same view. */
  plan(set: RecordSet, selected: SelectedObject, rows: number): View;
  /** The view of reads that belong to a write: with the lines, and with references that are always small. */
  planForWrite(set: RecordSet, selected: SelectedObject): View;
  /**
   * Reads with a view. If that fails in a way that an optional expansion may have caused, reads without them, and learns
   * from it if that succeeds. Throws the failure of the last read.
   */
  read<Result>(view: View, rows: number, read: (view: View) => Promise<Result>): Promise<Result>;
  /** Learns from the rows of a read with this view which expansions were ignored. */
  learn(view: View, parser: RowParser): void;
}

export interface ExpansionPlannerOptions {
  readonly dialect: Dialect;
  onRefused(refusal: RefusalLog): void;
}

export interface RefusalLog {
  readonly expansion: string;
  /** The status of the response; null where the upstream ignored the expansion. */
  readonly status: number | null;
}

// For so long, a failure that remained without expansions is not tried without them again.
const fruitlessMs = 60_000;
const maxFruitless = 1_000;

/** Creates the planners of all principals, which share what is learned of the upstream. */
export function createExpansionPlanning({ dialect, onRefused }: ExpansionPlannerOptions) {
  const refusals = createRefusals(onRefused);
  const viewsBySelection = new WeakMap<SelectedObject, Map<RecordSet, Map<string, View>>>();
  const fruitless = new LRUCache<string, true>({ max: maxFruitless, ttl: fruitlessMs });

  const viewsOf = (set: RecordSet, selected: SelectedObject): Map<string, View> => {
    const ofSelection = getOrCompute(viewsBySelection, selected, () => new Map());
    return getOrCompute(ofSelection, set, () => new Map([['', createView(set, dialect, selected)]]));
  };

  const viewWithout = (
    set: RecordSet,
    selected: SelectedObject,
    isLeftOut: ((expansion: ExpandedView) => boolean) | null,
  ): View => {
    const views = viewsOf(set, selected);
    const all = views.get('') as View;
    if (isLeftOut === null || all.plain === null) return all;
    const leftOut: string[] = [];
    for (const expansion of listExpansions(all)) {
      const isNested = leftOut.some((path) => expansion.path.startsWith(`${path}/`));
      if (!expansion.isMany && !isNested && isLeftOut(expansion)) leftOut.push(expansion.path);
    }
    return getOrCompute(views, leftOut.join(' '), () =>
      createView(set, dialect, selected, ({ path }) => !leftOut.includes(path)),
    ) as View;
  };

  return (principal: string): ExpansionPlanner => ({
    plan(set, selected, rows) {
      if (!refusals.hasAny()) return viewWithout(set, selected, null);
      // One suspect at a time shows which one is refused.
      let isTrying = false;
      return viewWithout(set, selected, ({ path }) => {
        if (refusals.isRefused(path, principal, rows)) return true;
        if (!refusals.isSuspect(path)) return false;
        const isOneTried = isTrying;
        isTrying = true;
        return isOneTried;
      });
    },

    planForWrite: (set, selected) =>
      viewWithout(
        set,
        selected,
        ({ path, isForWrites }) => !isForWrites || refusals.isRefused(path, principal, 1),
      ),

    async read(view, rows, read) {
      if (view.plain === null) return read(view);
      const startedAt = performance.now();
      try {
        return await read(view);
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        const failure = error;
        const optional = listExpansions(view).filter(({ isRequired }) => !isRequired);
        const optionalPaths = optional.map(({ path }) => path);
        const learn = (reach: RefusalReach) =>
          refusals.learnFailure(optionalPaths, reach, failure, principal, rows);
        if (isTimeUsedUp(failure, performance.now() - startedAt)) learn('size');
        const reach = reachOf(failure);
        if (reach === null) throw error;
        const attempt = `${principal} ${failure.status} ${view.set.entitySet}`;
        if (reach !== 'upstream' && fruitless.has(attempt)) throw error;
        const result = await read(view.plain).catch((remaining: unknown) => {
          fruitless.set(attempt, true);
          throw remaining;
        });
        learn(reach);
        return result;
      }
    },

    learn: refusals.learnFrom,
  });
}

/** All expansions, every one before those nested in it. */
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

/** Whether there was no response within the time of the query: none is left to read without expansions. */
const isTimeUsedUp = ({ code, status, delivery }: UpstreamError, waitedMs: number): boolean =>
  code === 'UPSTREAM_TIMEOUT' && status === null && delivery === 'unknown' && waitedMs >= slowReadMs;

// A caller may also leave early, or give a query little time.
const slowReadMs = 1_000;

const forgetAfterMs = 600_000;
const maxRefusals = 10_000;
// So many rows without an expansion are no exception, even where it came before.
const manyRows = 10;

/** Which expansions an upstream refuses or ignores. Forgotten after ten minutes, so that a change of the upstream is noticed. */
function createRefusals(onRefused: ExpansionPlannerOptions['onRefused']) {
  // By path, or principal and path: refused for reads of at least this many rows.
  const refusals = new LRUCache<string, number>({
    // With `max` it would take its whole memory at once, and most upstreams refuse nothing.
    maxSize: maxRefusals,
    sizeCalculation: () => 1,
    ttl: forgetAfterMs,
  });
  // Of several that were refused together, one at least is not taken.
  const suspects = new Set<string>();
  const accepted = new Set<string>();
  const logged = new Set<string>();

  const refuse = (path: string, status: number | null) => {
    refusals.set(path, 0);
    suspects.delete(path);
    accepted.delete(path);
    if (logged.has(path)) return;
    logged.add(path);
    onRefused({ expansion: path, status });
  };

  const learnFrom = (rows: RowView, parser: Pick<RowParser, 'count'>): void => {
    for (const expansion of rows.expansions) {
      const { path, isRequired } = expansion;
      const { expected, present } = parser.count(expansion);
      if (expected > 0 && !isRequired) {
        if (present > 0) {
          accepted.add(path);
          suspects.delete(path);
        } else if (!accepted.has(path) || expected >= manyRows) refuse(path, null);
      }
      learnFrom(expansion.rows, parser);
    }
  };

  return {
    hasAny: () => refusals.size > 0 || suspects.size > 0,
    isSuspect: (path: string) => suspects.has(path),
    isRefused(path: string, principal: string, rows: number) {
      if (refusals.size === 0) return false;
      const fromRows = refusals.get(path) ?? refusals.get(`${principal} ${path}`);
      return fromRows !== undefined && rows >= fromRows;
    },
    learnFrom,
    /** A principal's read of so many rows with these optional expansions failed, and succeeded without them. */
    learnFailure(
      paths: readonly string[],
      reach: RefusalReach,
      failure: UpstreamError,
      principal: string,
      rows: number,
    ) {
      if (reach !== 'upstream') {
        const fromRows = reach === 'size' ? Math.ceil(rows / 2) : 0;
        for (const path of paths) refusals.set(`${principal} ${path}`, fromRows);
        return;
      }
      const untried = paths.filter((path) => !accepted.has(path));
      const named = paths.filter((path) => isNamed(path, failure));
      const refused = named.length > 0 ? named : untried.length > 0 ? untried : paths;
      if (refused.length === 1 || named.length > 0) {
        for (const path of refused) refuse(path, failure.status);
      } else for (const path of refused) suspects.add(path);
    },
  };
}

/** Whether the upstream's message names the navigation, as in "Could not find a property named 'customer'". */
function isNamed(path: string, { detail }: UpstreamError): boolean {
  const navigation = path.slice(path.lastIndexOf('/') + 1);
  const message = detail?.message ?? '';
  return ["'", '"', '`'].some((quote) => message.includes(quote + navigation + quote));
}
