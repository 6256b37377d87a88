import { LRUCache } from 'lru-cache';
import { UpstreamError } from '../../errors.ts';
import type { SelectedObject } from '../../graph/selected-object.ts';
import type { ExplainedRelation } from '../../http/call.ts';
import type { TransferEstimate } from '../../http/resilience/transfer-times.ts';
import type { Dialect } from '../dialect.ts';
import type { FieldKinds, RecordSet } from '../record-set.ts';
import { costExpansion, estimateRowBytes } from './expansion-cost.ts';
import { type Decision, describeDecision } from './expansion-decisions.ts';
import {
  createExpansionRefusals,
  isTimeUsedUp,
  type RefusalLog,
  type RefusalReach,
  reachOf,
} from './expansion-refusals.ts';
import type { RowParser } from './row-parser.ts';
import { createView, type ExpandedView, expandAll, type RowView, type View } from './views.ts';

export type ExpansionMode = 'auto' | 'never' | 'always';

/** Decides, for one principal, which relations to one record come with their owner by `$expand`; others are loaded by key. */
export interface ExpansionPlanner {
  /** The view to read about this many rows of a set with. The same selection and decisions give the same view. */
  plan<F extends FieldKinds>(set: RecordSet<F>, selected: SelectedObject, rows: number): View<F>;
  /** The view of reads that belong to a write: with the lines, and with references that are always small. */
  planForWrite<F extends FieldKinds>(set: RecordSet<F>, selected: SelectedObject): View<F>;
  /**
   * Reads with a view. If that fails in a way that an optional expansion may have caused, reads without them, and learns
   * from it if that succeeds. Throws the failure of the last read.
   */
  read<F extends FieldKinds, Result>(
    view: View<F>,
    rows: number,
    read: (view: View<F>) => Promise<Result>,
  ): Promise<Result>;
  /** Learns from the rows of a read with this view: which expansions were ignored, and how often records repeat. */
  learn<F extends FieldKinds>(view: View<F>, parser: RowParser<F>): void;
  explain(set: RecordSet, selected: SelectedObject, rows: number): readonly ExplainedRelation[];
}

export interface ExpansionPlannerOptions {
  readonly mode: ExpansionMode;
  readonly dialect: Dialect;
  /** What the upstream has shown so far. */
  transferTimes(): TransferEstimate;
  /** The part of a caller's quota that one call takes up, in milliseconds; 0 without a known quota. */
  readonly quotaMs: number;
  onRefused(refusal: RefusalLog): void;
}

/** A relation that may be expanded, with the one it is nested in. */
interface Candidate {
  readonly expansion: ExpandedView;
  readonly parent: Candidate | null;
  readonly rowBytes: number;
}

interface SetPlan {
  /** Every relation before those nested in it. */
  readonly candidates: readonly Candidate[];
  /** By the candidates that are expanded, one character for each. */
  readonly views: Map<string, View>;
}

// Until a read has shown more: every record is another one, and a document has three lines.
const defaultDistinctShare = 1;
const defaultLines = 3;
// How fast observations replace older ones.
const learningRate = 0.2;
// For so long, a failure that remained without expansions is not tried without them again.
const fruitlessMs = 60_000;
const maxFruitless = 1_000;

export function createExpansionPlanning(options: ExpansionPlannerOptions) {
  const { mode, dialect, transferTimes, quotaMs } = options;
  const refusals = createExpansionRefusals(options.onRefused);
  const plans = new WeakMap<SelectedObject, Map<RecordSet, SetPlan>>();
  const writeViews = new WeakMap<SelectedObject, Map<RecordSet, View>>();
  const distinctShares = new Map<string, number>();
  const lineCounts = new Map<string, number>();
  const fruitless = new LRUCache<string, true>({ max: maxFruitless, ttl: fruitlessMs });

  const planOf = (set: RecordSet, selected: SelectedObject): SetPlan => {
    let ofSelection = plans.get(selected);
    if (!ofSelection) {
      ofSelection = new Map();
      plans.set(selected, ofSelection);
    }
    let plan = ofSelection.get(set);
    if (!plan) {
      const all = createView(set, dialect, selected, expandAll);
      plan = { candidates: listCandidates(all, null), views: new Map() };
      ofSelection.set(set, plan);
    }
    return plan;
  };

  const decide = ({ expansion, parent, rowBytes }: Candidate, rows: number, principal: string): Decision => {
    const { path, isRequired, isLoadedBeside } = expansion;
    if (isRequired) return { isExpanded: true, reason: 'required' };
    if (mode === 'never') return { isExpanded: false, reason: 'never' };
    if (refusals.isRefused(path, principal, rows)) return { isExpanded: false, reason: 'refused' };
    if (mode === 'always') return { isExpanded: true, reason: 'always' };
    // The records have to be loaded anyway: one load for both relations.
    if (isLoadedBeside) return { isExpanded: false, reason: 'beside' };
    const share = distinctShares.get(path) ?? defaultDistinctShare;
    const costs = costExpansion(rowsOf(parent, rows), rowBytes, share, transferTimes(), quotaMs);
    return { isExpanded: costs.extraMs < costs.callMs, reason: 'cost', costs };
  };

  /** How many rows an expansion starts from. */
  const rowsOf = (candidate: Candidate | null, rows: number): number => {
    if (candidate === null) return rows;
    const { path, isMany } = candidate.expansion;
    const owners = rowsOf(candidate.parent, rows);
    return isMany ? owners * (lineCounts.get(path) ?? defaultLines) : owners;
  };

  /** Which candidates are expanded, one character for each; a suspect only if no other one is tried with it. */
  const decideAll = (candidates: readonly Candidate[], rows: number, principal: string): string => {
    const expanded = new Set<Candidate>();
    let isTrying = false;
    let key = '';
    for (const candidate of candidates) {
      const { parent, expansion } = candidate;
      const isReached = parent === null || expanded.has(parent);
      let isExpanded = isReached && decide(candidate, rows, principal).isExpanded;
      if (isExpanded && refusals.isSuspect(expansion.path)) {
        isExpanded = !isTrying;
        isTrying = true;
      }
      if (isExpanded) expanded.add(candidate);
      key += isExpanded ? '1' : '0';
    }
    return key;
  };

  const forPrincipal = (principal: string): ExpansionPlanner => ({
    plan<F extends FieldKinds>(set: RecordSet<F>, selected: SelectedObject, rows: number) {
      const { candidates, views } = planOf(set, selected);
      const key = candidates.length === 0 ? '' : decideAll(candidates, rows, principal);
      let view = views.get(key);
      if (!view) {
        const expanded = new Set(
          candidates.filter((_candidate, index) => key[index] === '1').map(({ expansion }) => expansion.path),
        );
        view = createView(set, dialect, selected, ({ path }) => expanded.has(path));
        views.set(key, view);
      }
      return view as View<F>;
    },

    planForWrite<F extends FieldKinds>(set: RecordSet<F>, selected: SelectedObject) {
      const expands = ({ path, isForWrites }: Pick<ExpandedView, 'path' | 'isForWrites'>) =>
        mode !== 'never' && isForWrites && !refusals.isRefused(path, principal, 1);
      if (refusals.hasAny()) return createView(set, dialect, selected, expands);
      const ofSelection = writeViews.get(selected) ?? new Map<RecordSet, View>();
      writeViews.set(selected, ofSelection);
      const view = ofSelection.get(set) ?? createView(set, dialect, selected, expands);
      ofSelection.set(set, view);
      return view as View<F>;
    },

    async read(view, rows, read) {
      if (view.plain === null) return read(view);
      const startedAt = performance.now();
      try {
        return await read(view);
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        const failure = error;
        const learn = (reach: RefusalReach) =>
          refusals.learnFailure(optionalPaths(view), reach, failure, { principal, rows });
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

    learn: (view, parser) => learnFrom(view, parser),

    explain(set, selected, rows) {
      const { candidates } = planOf(set, selected);
      const key = decideAll(candidates, rows, principal);
      return candidates.map((candidate, index) => {
        const isExpanded = key[index] === '1';
        const { path } = candidate.expansion;
        const isReached = candidate.parent === null || key[candidates.indexOf(candidate.parent)] === '1';
        const decision = isReached ? decide(candidate, rows, principal) : null;
        return {
          path,
          plan: isExpanded ? 'EXPANDED' : 'LOADED',
          reason: describeDecision(decision, isExpanded),
        };
      });
    },
  });

  const learnFrom = (rows: RowView, parser: Pick<RowParser<FieldKinds>, 'count'>): void => {
    for (const expansion of rows.expansions) {
      const { path, isMany, isRequired } = expansion;
      const { expected, present, distinct } = parser.count(expansion);
      if (expected > 0 && isMany) adjust(lineCounts, path, present / expected);
      if (expected > 0 && !isRequired) {
        if (present === 0) refusals.learnIgnored(path, expected);
        else refusals.learnAccepted(path);
        if (distinct > 0) adjust(distinctShares, path, distinct / present);
      }
      learnFrom(expansion.rows, parser);
    }
  };

  return forPrincipal;
}

/** Moves a running average towards an observation. */
function adjust(averages: Map<string, number>, path: string, observed: number): void {
  const before = averages.get(path) ?? observed;
  averages.set(path, before + (observed - before) * learningRate);
}

function listCandidates({ expansions }: RowView, parent: Candidate | null): Candidate[] {
  return expansions.flatMap((expansion) => {
    const candidate: Candidate = { expansion, parent, rowBytes: estimateRowBytes(expansion.rows) };
    return [candidate, ...listCandidates(expansion.rows, candidate)];
  });
}

const optionalPaths = ({ expansions }: RowView): string[] =>
  expansions.flatMap(({ path, isRequired, rows }) => [...(isRequired ? [] : [path]), ...optionalPaths(rows)]);
