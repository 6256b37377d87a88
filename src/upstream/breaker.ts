import { LRUCache } from 'lru-cache';
import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { CallWindow, Verdict } from './call-window.ts';
import { type Circuit, type CircuitLook, createCircuit, firstAttempt } from './circuit.ts';
import type { Call } from './client.ts';

/** Whose call it is, for a circuit breaker. */
export interface BreakerCaller {
  readonly principal: string;
  readonly pace: string;
  /** Who the caller is proven to be, whatever token the call has; null where nobody has verified that. */
  readonly verifiedAs: string | null;
}

/** What kind of call it is: one that fails does not stop the others of its caller. */
export type BreakerCall = Pick<Call, 'method' | 'path' | 'kind'>;

/**
 * The circuit breakers of one upstream: one for all callers, which opens when the upstream fails as a whole, and one for
 * each caller and kind of call, which opens when that fails.
 */
export interface Breaker {
  /**
   * To be called when a call is to be made. What is returned is to be called once with what its end says of the upstream.
   * Throws the `UpstreamError` of a call that is not made.
   */
  begin(caller: BreakerCaller, call: BreakerCall): (verdict: Verdict) => void;
  /** How it is for one caller: where one of its own is not closed, it tells of that. */
  look(caller: BreakerCaller): CircuitLook;
  state(): BreakerState;
}

export interface BreakerState {
  /** Whether calls of all callers fail at once. */
  readonly isOpen: boolean;
  /** How many callers have a circuit breaker of their own that is not closed. */
  readonly failingCallers: number;
}

/** Never opens. */
export const noBreaker: Breaker = {
  begin: () => () => {},
  look: () => ({ state: 'CLOSED', openMs: null }),
  state: () => ({ isOpen: false, failingCallers: 0 }),
};

export interface BreakerOptions {
  readonly upstream: UpstreamName;
  /** Told when calls of all callers are stopped, and when they are made again. */
  onChange(isOpen: boolean): void;
}

const fewestCalls = 20;
const shareOfCalls = 0.5;
const fewestCallers = 3;
const shareOfCallers = 0.8;

const isFailingHalf = (window: CallWindow): boolean => {
  const { calls, failures } = window.totals();
  return calls >= fewestCalls && failures >= calls * shareOfCalls;
};

// Failing answers and time-outs may be due to what one caller asks, whatever share of all calls is that caller's.
const isFailingAsWhole = (window: CallWindow): boolean => {
  if (!isFailingHalf(window)) return false;
  const { calls, unreachable } = window.totals();
  if (unreachable >= calls * shareOfCalls) return true;
  const { all, failing } = window.callers();
  return failing >= fewestCallers && failing >= all * shareOfCallers;
};

const maxCallers = 1_000;
const kindsPerCaller = 32;
// A circuit breaker of one caller is forgotten so long after its last failure.
const forgottenAfterMs = 60_000;
const maxServed = 10_000;

export function createBreaker({ upstream, onChange }: BreakerOptions): Breaker {
  const shared = createCircuit({ isDown: isFailingAsWhole, onChange });
  const ofCallers = new LRUCache<string, LRUCache<string, Circuit>>({
    max: maxCallers,
    ttl: forgottenAfterMs,
    ttlAutopurge: true,
    perf: performance,
  });
  // Principals whose token this upstream has accepted.
  const served = new LRUCache<string, true>({ max: maxServed });

  const nameOf = ({ verifiedAs, principal }: BreakerCaller) => verifiedAs ?? principal;

  // Anybody can make up tokens: those that neither this process nor the upstream has verified count as one caller.
  const countedAs = ({ verifiedAs, principal }: BreakerCaller) =>
    verifiedAs ?? (served.has(principal) ? principal : '');

  /** The circuit breaker for this caller and kind of call; one is made for the first failure. */
  const ownCircuit = (name: string, call: BreakerCall, verdict: Verdict): Circuit | undefined => {
    if (verdict !== 'failed')
      return ofCallers.size === 0 ? undefined : ofCallers.get(name)?.get(kindOf(call));
    const own = ofCallers.get(name) ?? new LRUCache({ max: kindsPerCaller });
    // Also where it is there already: it is kept for a minute from now.
    ofCallers.set(name, own);
    const kind = kindOf(call);
    const circuit = own.get(kind) ?? createCircuit({ isDown: isFailingHalf });
    own.set(kind, circuit);
    return circuit;
  };

  const lookAtOwn = (caller: BreakerCaller): CircuitLook[] => {
    const name = nameOf(caller);
    return [...(ofCallers.get(name)?.values() ?? [])].map((circuit) => circuit.look(name));
  };

  return {
    begin(caller, call) {
      const counted = countedAs(caller);
      const name = nameOf(caller);
      const own = ownCircuit(name, call, 'unknown');
      const sharedMs = shared.waitMs(counted);
      if (sharedMs > 0) throw refusal(upstream, sharedMs, upstreamFailed);
      const ownMs = own?.waitMs(name) ?? 0;
      if (ownMs > 0) throw refusal(upstream, ownMs, callsFailed);
      const attempt = shared.begin(counted);
      const ownAttempt = own?.begin(name) ?? firstAttempt;
      return (verdict) => {
        // What the upstream serves under a token of the layer's own proves nothing of the caller.
        if (verdict === 'served' && counted === '' && caller.pace === caller.principal)
          served.set(caller.principal, true);
        shared.end(attempt, countedAs(caller), verdict);
        const circuit = own ?? ownCircuit(name, call, verdict);
        circuit?.end(ownAttempt, name, verdict === 'unreachable' ? 'unknown' : verdict);
      };
    },

    look(caller) {
      const looks = [shared.look(countedAs(caller)), ...lookAtOwn(caller)];
      const open = looks.filter(({ state }) => state === 'OPEN');
      if (open.length > 0)
        return { state: 'OPEN', openMs: Math.max(...open.map(({ openMs }) => openMs ?? 0)) };
      const isHalfOpen = looks.some(({ state }) => state === 'HALF_OPEN');
      return { state: isHalfOpen ? 'HALF_OPEN' : 'CLOSED', openMs: null };
    },

    state: () => ({
      isOpen: shared.look('').state !== 'CLOSED',
      failingCallers: [...ofCallers].filter(([name, own]) =>
        [...own.values()].some((circuit) => circuit.look(name).state !== 'CLOSED'),
      ).length,
    }),
  };
}

// `v2.0 customers` of `/api/v2.0/companies(…)/customers(…)?…`; areas B and C have few kinds of calls without it.
const recordSet = /^\/api\/([\w.]+)\/(?:companies\([^)]*\)\/)?([$\w]+)/;

function kindOf({ method, path, kind = 'read' }: BreakerCall): string {
  const [, version, set] = recordSet.exec(path) ?? [];
  return `${kind} ${method} ${version} ${set}`;
}

const upstreamFailed = 'The upstream has failed too often, and is left alone for a while. Try again later.';
const callsFailed = 'Calls like this one have failed too often for this caller. Try again later.';

const refusal = (upstream: UpstreamName, ms: number, message: string) =>
  new UpstreamError('UPSTREAM_UNAVAILABLE', message, {
    upstream,
    fate: 'unsent',
    retryAfterSeconds: Math.ceil(ms / 1000),
  });
