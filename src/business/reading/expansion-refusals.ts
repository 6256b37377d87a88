import { LRUCache } from 'lru-cache';
import type { UpstreamError } from '../../errors.ts';
import { classifyAbsence } from '../../http/absence.ts';
import { isResponseTooLong } from '../../http/transport-errors.ts';

/** What a failed read says about its expansions, if the same read without them succeeds. */
export type RefusalReach =
  /** The upstream does not support one of them. */
  | 'upstream'
  /** This principal may not read one of them. */
  | 'principal'
  /** The response would be too large, or take too long. */
  | 'size';

/** Which expansions an upstream refuses or ignores. Forgotten after ten minutes, so that a change of the upstream is noticed. */
export interface ExpansionRefusals {
  isRefused(path: string, principal: string, rows: number): boolean;
  /** Whether the upstream refused several expansions together, this one among them. */
  isSuspect(path: string): boolean;
  /** Whether any expansion is refused or suspect. */
  hasAny(): boolean;
  /** A read with these optional expansions failed, and succeeded without them. */
  learnFailure(paths: readonly string[], reach: RefusalReach, failure: UpstreamError, read: ReadSize): void;
  /** The upstream responded without this expansion in all rows, of this number, that name a record. */
  learnIgnored(path: string, rows: number): void;
  /** The upstream expanded this path. */
  learnAccepted(path: string): void;
}

interface ReadSize {
  readonly principal: string;
  readonly rows: number;
}

interface Refusal {
  /** Refused for reads of at least this many rows. */
  readonly fromRows: number;
}

/** What a failure says about the expansions of its read, if the read succeeds without them; null where they are not to blame. */
export function reachOf(failure: UpstreamError): RefusalReach | null {
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
export const isTimeUsedUp = ({ code, status, delivery }: UpstreamError, waitedMs: number): boolean =>
  code === 'UPSTREAM_TIMEOUT' && status === null && delivery === 'unknown' && waitedMs >= slowReadMs;

// A caller may also leave early, or give a query little time.
const slowReadMs = 1_000;

export interface RefusalLog {
  readonly expansion: string;
  /** The status of the response; null where the upstream ignored the expansion. */
  readonly status: number | null;
}

const forgetAfterMs = 600_000;
const maxRefusals = 10_000;
// So many rows without an expansion are no exception, even where it came before.
const manyRows = 10;

export function createExpansionRefusals(onRefused: (refusal: RefusalLog) => void): ExpansionRefusals {
  const refusals = new LRUCache<string, Refusal>({
    // With `max` it would take its whole memory at once, and most upstreams refuse nothing.
    maxSize: maxRefusals,
    sizeCalculation: () => 1,
    ttl: forgetAfterMs,
  });
  const suspects = new Set<string>();
  const accepted = new Set<string>();
  const logged = new Set<string>();

  const refuse = (path: string, status: number | null) => {
    refusals.set(path, { fromRows: 0 });
    suspects.delete(path);
    accepted.delete(path);
    if (logged.has(path)) return;
    logged.add(path);
    onRefused({ expansion: path, status });
  };

  return {
    hasAny: () => refusals.size > 0 || suspects.size > 0,
    isSuspect: (path) => suspects.has(path),
    isRefused(path, principal, rows) {
      if (refusals.size === 0) return false;
      const refusal = refusals.get(path) ?? refusals.get(`${principal} ${path}`);
      return refusal !== undefined && rows >= refusal.fromRows;
    },
    learnFailure(paths, reach, failure, { principal, rows }) {
      if (reach === 'principal') {
        for (const path of paths) refusals.set(`${principal} ${path}`, { fromRows: 0 });
        return;
      }
      if (reach === 'size') {
        for (const path of paths) refusals.set(`${principal} ${path}`, { fromRows: Math.ceil(rows / 2) });
        return;
      }
      const untried = paths.filter((path) => !accepted.has(path));
      const named = paths.filter((path) => isNamed(path, failure));
      const refused = named.length > 0 ? named : untried.length > 0 ? untried : paths;
      if (refused.length === 1 || named.length > 0) {
        for (const path of refused) refuse(path, failure.status);
      } else for (const path of refused) suspects.add(path);
    },
    learnIgnored(path, rows) {
      if (!accepted.has(path) || rows >= manyRows) refuse(path, null);
    },
    learnAccepted(path) {
      accepted.add(path);
      suspects.delete(path);
    },
  };
}

/** Whether the upstream's message names the navigation, as in "Could not find a property named 'customer'". */
function isNamed(path: string, { detail }: UpstreamError): boolean {
  const navigation = path.slice(path.lastIndexOf('/') + 1);
  const message = detail?.message ?? '';
  return ["'", '"', '`'].some((quote) => message.includes(quote + navigation + quote));
}
