import type { UpstreamName } from '../errors.ts';
import type { CallListener } from '../upstream/call-listener.ts';
import { areaOf, businessArea, managementArea } from './areas.ts';

/** What one caller's requests take. */
export interface CallerUse {
  /** The weights of the requests that hold a place. */
  held: number;
  /** How many wait without a place. */
  waiting: number;
}

/** What all requests of the process take together. */
export interface ProcessUse {
  /** How many requests hold a place. */
  held: number;
  waiting: number;
  /** The weights of those that hold a place, and how many callers they are of. */
  weight: number;
  callers: number;
  /** How many of those that hold a place may wait for an answer of each area. */
  business: number;
  management: number;
}

export interface PlaceRules {
  /** In weights. */
  readonly heldOfCaller: number;
  /** In requests. */
  readonly ofArea: number;
  readonly waiting: number;
  readonly waitingOfCaller: number;
  /** Told which limit a request did not fit. */
  onRefused(reason: 'caller' | 'upstream'): void;
}

type State = 'held' | 'waiting' | 'released';

// A page of 50 records with their lines is 550 rows and weighs as much as the smallest request.
const rowsOfWeight = 1_000;

/**
 * The place of one request. It is counted while the request is worked on or waits for an upstream's answer. While all
 * of its upstream calls wait for a rate limit or out a pause, it is only counted as waiting, if few enough are; when
 * one of them goes on it is counted again, without being refused.
 *
 * A class, since there is one for each request, and its methods are shared.
 */
export class Place implements CallListener {
  readonly #process: ProcessUse;
  readonly #caller: CallerUse;
  readonly #rules: PlaceRules;
  #state: State = 'held';
  #weight = 1;
  /** The areas it is counted for: until its first call those its operation may ask, then those it waits for. */
  #areas = 0;
  #hasCalled = false;
  #businessCalls = 0;
  #managementCalls = 0;
  #pausedCalls = 0;

  constructor(process: ProcessUse, caller: CallerUse, rules: PlaceRules) {
    this.#process = process;
    this.#caller = caller;
    this.#rules = rules;
    this.#count(1);
  }

  /** Counts what the operation takes, once that is known. Returns which limit it does not fit, if any. */
  weigh(rows: number, areas: number): 'caller' | 'upstream' | null {
    const weight = 1 + Math.floor(rows / rowsOfWeight);
    const reason = this.#excess(weight, areas);
    if (reason === null) this.#become(this.#state, areas, weight);
    else this.#rules.onRefused(reason);
    return reason;
  }

  release(): void {
    this.#become('released', 0, this.#weight);
  }

  callBegan(upstream: UpstreamName): void {
    this.#hasCalled = true;
    this.#add(upstream, 1);
  }

  callPaused(): void {
    this.#pausedCalls += 1;
    this.#update();
  }

  callResumed(): void {
    this.#pausedCalls -= 1;
    this.#update();
  }

  callEnded(upstream: UpstreamName): void {
    this.#add(upstream, -1);
  }

  #excess(weight: number, areas: number): 'caller' | 'upstream' | null {
    const { heldOfCaller, ofArea } = this.#rules;
    const others = this.#caller.held - this.#weight;
    // A request that weighs more than the whole share runs alone.
    if (others > 0 && others + weight > heldOfCaller) return 'caller';
    if (areas & businessArea && this.#process.business >= ofArea) return 'upstream';
    if (areas & managementArea && this.#process.management >= ofArea) return 'upstream';
    return null;
  }

  #add(upstream: UpstreamName, calls: 1 | -1): void {
    if (areaOf(upstream) === businessArea) this.#businessCalls += calls;
    else this.#managementCalls += calls;
    this.#update();
  }

  #update(): void {
    if (this.#state === 'released' || !this.#hasCalled) return;
    const areas =
      (this.#businessCalls > 0 ? businessArea : 0) | (this.#managementCalls > 0 ? managementArea : 0);
    const calls = this.#businessCalls + this.#managementCalls;
    const isWaiting = calls > 0 && this.#pausedCalls === calls && this.#mayWait();
    this.#become(isWaiting ? 'waiting' : 'held', areas, this.#weight);
  }

  #mayWait(): boolean {
    const { waiting, waitingOfCaller } = this.#rules;
    if (this.#state === 'waiting') return true;
    return this.#process.waiting < waiting && this.#caller.waiting < waitingOfCaller;
  }

  #become(state: State, areas: number, weight: number): void {
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
    } else if (this.#state === 'held') {
      this.#process.held += sign;
      this.#process.weight += sign * this.#weight;
      if (this.#caller.held === 0) this.#process.callers += 1;
      this.#caller.held += sign * this.#weight;
      if (this.#caller.held === 0) this.#process.callers -= 1;
      if (this.#areas & businessArea) this.#process.business += sign;
      if (this.#areas & managementArea) this.#process.management += sign;
    }
  }
}
