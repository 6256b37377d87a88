import { LRUCache } from 'lru-cache';
import { UpstreamError, type UpstreamName } from '../../errors.ts';
import type { Place } from '../auth/access.ts';
import type { UpstreamCall } from '../call.ts';
import type { CallVerdict, CallWindow } from './call-window.ts';
import { type Circuit, type CircuitSnapshot, createCircuit, firstGeneration } from './circuit.ts';

/** The identities of a caller, for choosing its circuits. */
export interface BreakerCaller {
  readonly principal: string;
  readonly rateLimitKey: string;
  /** The caller's identity, the same for each of its tokens; null where this process has not verified the token. */
  readonly verifiedIdentity: string | null;
  readonly place?: Place | null;
}

export type BreakerCall = Pick<UpstreamCall, 'method' | 'path' | 'kind'>;

/**
 * The circuit breaker of one upstream. It has a shared circuit, which opens for all callers when the upstream fails as a
 * whole, and a circuit per caller and kind of call, so that a kind that fails does not stop the caller's other calls.
 */
export interface Breaker {
  /**
   * Call before an attempt; throws an `UpstreamError` where a circuit is open. Call the returned function once with the
   * verdict when the attempt has ended.
   */
  startCall(caller: BreakerCaller, call: BreakerCall): (verdict: CallVerdict) => void;
  /** The most severe state among the circuits that apply to a caller. */
  snapshot(caller: BreakerCaller): CircuitSnapshot;
  getState(): BreakerState;
}

export interface BreakerState {
  /** Whether the shared circuit is not closed. */
  readonly isOpen: boolean;
  /** How many callers have a circuit of their own that is not closed. */
  readonly failingCallers: number;
}

/** Never opens (`UPSTREAM_BREAKER=off`). */
export const disabledBreaker: Breaker = {
  startCall: () => () => {},
  snapshot: () => ({ state: 'CLOSED', openMs: null }),
  getState: () => ({ isOpen: false, failingCallers: 0 }),
};

export interface BreakerOptions {
  readonly upstream: UpstreamName;
  /** The shared circuit opened or closed. */
  onChange(isOpen: boolean): void;
}

const minCalls = 20;
const callFailureThreshold = 0.5;
const minCallers = 3;
const callerFailureThreshold = 0.8;

const isAboveFailureThreshold = (window: CallWindow): boolean => {
  const { calls, failures } = window.getTotals();
  return calls >= minCalls && failures >= calls * callFailureThreshold;
};

// Error responses and timeouts may be due to the queries of one caller, even one that makes most of the calls: the shared
// circuit opens for them only where most callers are affected.
const isUpstreamFailing = (window: CallWindow): boolean => {
  if (!isAboveFailureThreshold(window)) return false;
  const { calls, failures, unreachable } = window.getTotals();
  if (unreachable >= calls * callFailureThreshold) return true;
  const { all, failing, failingSilently } = window.countCallers();
  // An upstream that reports its failures is up: it fails as a whole only where nothing succeeds.
  const affected = failures === calls ? failing : failingSilently;
  return affected >= minCallers && affected >= all * callerFailureThreshold;
};

const maxTrackedCallers = 1_000;
const maxKindsPerCaller = 32;
// The circuits of a caller are dropped this long after its last failure.
const dropAfterMs = 60_000;
const maxServedPrincipals = 10_000;

export function createBreaker({ upstream, onChange }: BreakerOptions): Breaker {
  const shared = createCircuit({ isDown: isUpstreamFailing, onChange });
  const ofCallers = new LRUCache<string, LRUCache<string, Circuit>>({
    max: maxTrackedCallers,
    ttl: dropAfterMs,
    ttlAutopurge: true,
    perf: performance,
  });
  // Principals whose token this upstream has accepted.
  const served = new LRUCache<string, true>({ max: maxServedPrincipals });

  const identityOf = ({ verifiedIdentity, principal }: BreakerCaller) => verifiedIdentity ?? principal;

  // Anybody can invent tokens: callers whose token neither this process nor the upstream has verified count as one.
  const sharedIdentityOf = ({ verifiedIdentity, principal }: BreakerCaller) =>
    verifiedIdentity ?? (served.has(principal) ? principal : '');

  const findCircuit = (identity: string, call: BreakerCall): Circuit | undefined =>
    ofCallers.size === 0 ? undefined : ofCallers.get(identity)?.get(circuitKey(call));

  /** Creates the circuit at the first failure of its kind, and keeps all circuits of the caller for another minute. */
  const keepCircuit = (identity: string, call: BreakerCall): Circuit => {
    const circuits = ofCallers.get(identity) ?? new LRUCache({ max: maxKindsPerCaller });
    ofCallers.set(identity, circuits);
    const key = circuitKey(call);
    const circuit = circuits.get(key) ?? createCircuit({ isDown: isAboveFailureThreshold });
    circuits.set(key, circuit);
    return circuit;
  };

  const snapshotOwn = (caller: BreakerCaller): CircuitSnapshot[] => {
    const identity = identityOf(caller);
    return [...(ofCallers.get(identity)?.values() ?? [])].map((circuit) => circuit.snapshot(identity));
  };

  return {
    startCall(caller, call) {
      const sharedIdentity = sharedIdentityOf(caller);
      const identity = identityOf(caller);
      const known = findCircuit(identity, call);
      const sharedWaitMs = shared.waitMs(sharedIdentity);
      if (sharedWaitMs > 0) throw breakerOpenError(upstream, sharedWaitMs, upstreamFailed);
      const ownWaitMs = known?.waitMs(identity) ?? 0;
      if (ownWaitMs > 0) throw breakerOpenError(upstream, ownWaitMs, callsFailed);
      const sharedAttempt = shared.startAttempt(sharedIdentity);
      const ownAttempt = known?.startAttempt(identity) ?? firstGeneration;
      return (verdict) => {
        // A response to Tributary's own token does not verify the caller's token.
        const isCallersToken = caller.rateLimitKey === caller.principal;
        if (verdict === 'succeeded' && sharedIdentity === '' && isCallersToken)
          served.set(caller.principal, true);
        shared.endAttempt(sharedAttempt, sharedIdentityOf(caller), verdict);
        const isOwnFailure = verdict === 'failed' || verdict === 'reported';
        const circuit = known ?? (isOwnFailure ? keepCircuit(identity, call) : findCircuit(identity, call));
        circuit?.endAttempt(ownAttempt, identity, verdict === 'unreachable' ? 'unknown' : verdict);
      };
    },

    snapshot(caller) {
      const snapshots = [shared.snapshot(sharedIdentityOf(caller)), ...snapshotOwn(caller)];
      const open = snapshots.filter(({ state }) => state === 'OPEN');
      if (open.length > 0)
        return { state: 'OPEN', openMs: Math.max(...open.map(({ openMs }) => openMs ?? 0)) };
      const isHalfOpen = snapshots.some(({ state }) => state === 'HALF_OPEN');
      return { state: isHalfOpen ? 'HALF_OPEN' : 'CLOSED', openMs: null };
    },

    getState: () => ({
      isOpen: shared.snapshot('').state !== 'CLOSED',
      failingCallers: [...ofCallers].filter(([identity, circuits]) =>
        [...circuits.values()].some((circuit) => circuit.snapshot(identity).state !== 'CLOSED'),
      ).length,
    }),
  };
}

// Matches `v2.0` and `customers` in `/api/v2.0/companies(…)/customers(…)?…`, and `contoso/app/v1.0` in the place of `v2.0`.
// Other paths make one kind per method.
const recordSetPattern =
  /^\/api\/([^/()?]{1,100}\/[^/()?]{1,100}\/(?:v\d[\d.]*|beta)(?=\/)|[^/()?]+)\/(?:companies\([^)]*\)\/)?([$\w%]+)/;

function circuitKey({ method, path, kind = 'read' }: BreakerCall): string {
  const [, route, set] = recordSetPattern.exec(path) ?? [];
  return `${kind} ${method} ${route} ${set}`;
}

const upstreamFailed = 'The circuit breaker is open: the upstream has failed too often. Try again later.';
const callsFailed =
  'The circuit breaker is open: calls of this kind have failed too often for this caller. Try again later.';

const breakerOpenError = (upstream: UpstreamName, ms: number, message: string) =>
  new UpstreamError('UPSTREAM_UNAVAILABLE', message, {
    upstream,
    delivery: 'notSent',
    retryAfterSeconds: Math.ceil(ms / 1000),
  });
