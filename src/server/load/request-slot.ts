import type { UpstreamName } from '../../errors.ts';
import type { CallListener } from '../../http/auth/access.ts';
import { areaOfUpstream, businessArea, managementArea } from '../guard/areas.ts';

/** Slots used by one caller, or by one of the tokens of an address. */
export interface CallerUsage {
  /** Total weight of requests that hold a slot. */
  held: number;
  /** Number of requests that wait without a slot, for a rate limit or for the result of another request. */
  waiting: number;
}

/** Slots used by all callers. */
export interface ProcessUsage {
  /** Number of requests that hold a slot. */
  held: number;
  waiting: number;
  /** Total weight of requests that hold a slot, and the number of their callers. */
  weight: number;
  callers: number;
  /** Number of requests with a slot that may wait for each area. */
  business: number;
  management: number;
}

export interface SlotLimits {
  /** In weights. */
  readonly maxHeldPerCaller: number;
  readonly maxHeldPerToken: number;
  /** In requests, as are the following. */
  readonly maxPerArea: number;
  readonly maxWaiting: number;
  /** Called with the limit that a request exceeded. */
  onRejected(reason: 'caller' | 'upstream'): void;
}

type SlotState = 'held' | 'waiting' | 'released';

// A page of 50 orders with their lines is 550 rows and weighs as much as the smallest request.
const rowsPerWeight = 1_000;

/**
 * The slot of one request. It counts as held while the request is processed or waits for an upstream's
 * response. While all of its upstream calls wait for a rate limit, `Retry-After` or the call of another request, and
 * while it waits for the result of an identical query, it counts as waiting, up to a limit; when it continues, it counts
 * as held again without another check.
 *
 * A class, because there is one per request and methods are shared.
 */
export class RequestSlot implements CallListener {
  readonly #process: ProcessUsage;
  readonly #caller: CallerUsage;
  /** Of the token, where the caller is an address; null where it is verified. */
  readonly #token: CallerUsage | null;
  readonly #limits: SlotLimits;
  #state: SlotState = 'held';
  #weight = 1;
  /** Areas it counts for: those the operation may call until its first call, then those it waits for. */
  #areas = 0;
  #hasCalled = false;
  #businessCalls = 0;
  #managementCalls = 0;
  #pausedCalls = 0;

  constructor(process: ProcessUsage, caller: CallerUsage, token: CallerUsage | null, limits: SlotLimits) {
    this.#process = process;
    this.#caller = caller;
    this.#token = token;
    this.#limits = limits;
    this.#count(1);
  }

  /** Sets the operation's cost and areas. Returns the limit it exceeds, if any. */
  setCost(rows: number, areas: number): 'caller' | 'upstream' | null {
    // Of an address, a token has no more than its part, so that the others are served beside the heaviest request.
    const max = this.#token ? this.#limits.maxHeldPerToken : Number.POSITIVE_INFINITY;
    const weight = Math.min(1 + Math.floor(rows / rowsPerWeight), max);
    const reason = this.#findExceededLimit(weight, areas);
    if (reason === null) this.#change(this.#state, areas, weight);
    else this.#limits.onRejected(reason);
    return reason;
  }

  release(): void {
    this.#change('released', 0, this.#weight);
  }

  /** Call while the request waits for the result of an identical query, and again with false when it has it. */
  setSharing(isSharing: boolean): void {
    if (this.#state === (isSharing ? 'held' : 'waiting') && (!isSharing || this.#mayWait()))
      this.#change(isSharing ? 'waiting' : 'held', 0, this.#weight);
  }

  onCallStart(upstream: UpstreamName): void {
    this.#hasCalled = true;
    this.#countCalls(upstream, 1);
  }

  onCallPause(): void {
    this.#pausedCalls += 1;
    this.#update();
  }

  onCallResume(): void {
    this.#pausedCalls -= 1;
    this.#update();
  }

  onCallEnd(upstream: UpstreamName): void {
    this.#countCalls(upstream, -1);
  }

  #findExceededLimit(weight: number, areas: number): 'caller' | 'upstream' | null {
    const { maxHeldPerCaller, maxHeldPerToken, maxPerArea } = this.#limits;
    // A request heavier than the whole share runs alone.
    const exceeds = ({ held }: CallerUsage, max: number) =>
      held > this.#weight && held - this.#weight + weight > max;
    if (exceeds(this.#caller, maxHeldPerCaller)) return 'caller';
    if (this.#token && exceeds(this.#token, maxHeldPerToken)) return 'caller';
    if (areas & businessArea && this.#process.business >= maxPerArea) return 'upstream';
    if (areas & managementArea && this.#process.management >= maxPerArea) return 'upstream';
    return null;
  }

  #countCalls(upstream: UpstreamName, calls: 1 | -1): void {
    if (areaOfUpstream(upstream) === businessArea) this.#businessCalls += calls;
    else this.#managementCalls += calls;
    this.#update();
  }

  #update(): void {
    if (this.#state === 'released' || !this.#hasCalled) return;
    const areas =
      (this.#businessCalls > 0 ? businessArea : 0) | (this.#managementCalls > 0 ? managementArea : 0);
    const calls = this.#businessCalls + this.#managementCalls;
    const isWaiting = calls > 0 && this.#pausedCalls === calls && this.#mayWait();
    this.#change(isWaiting ? 'waiting' : 'held', areas, this.#weight);
  }

  #mayWait(): boolean {
    const { maxWaiting, maxHeldPerCaller, maxHeldPerToken } = this.#limits;
    if (this.#state === 'waiting') return true;
    if (this.#process.waiting >= maxWaiting || this.#caller.waiting >= maxHeldPerCaller) return false;
    return this.#token === null || this.#token.waiting < maxHeldPerToken;
  }

  #change(state: SlotState, areas: number, weight: number): void {
    if (state === this.#state && areas === this.#areas && weight === this.#weight) return;
    this.#count(-1);
    this.#state = state;
    this.#areas = areas;
    this.#weight = weight;
    this.#count(1);
  }

  #count(sign: 1 | -1): void {
    if (this.#state === 'waiting') {
      this.#process.waiting += sign;
      this.#caller.waiting += sign;
      if (this.#token) this.#token.waiting += sign;
    } else if (this.#state === 'held') {
      this.#process.held += sign;
      this.#process.weight += sign * this.#weight;
      if (this.#caller.held === 0) this.#process.callers += 1;
      this.#caller.held += sign * this.#weight;
      if (this.#token) this.#token.held += sign * this.#weight;
      if (this.#caller.held === 0) this.#process.callers -= 1;
      if (this.#areas & businessArea) this.#process.business += sign;
      if (this.#areas & managementArea) this.#process.management += sign;
    }
  }
}
