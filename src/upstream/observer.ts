import type { ErrorCode } from '../errors.ts';
import type { Call } from './client.ts';
import type { GateState } from './gate.ts';
import type { AttemptEnd } from './watch.ts';

/** How things stand with one upstream. */
export interface UpstreamState extends GateState {
  /** Whether nothing is sent to it for anybody, since it has failed as a whole. */
  readonly isLeftAlone: boolean;
  /** How many callers have calls of some kind fail at once, since those failed too often. */
  readonly failingCallers: number;
  /** What is left for retries. */
  readonly retryBudget: number;
}

/** Told what becomes of all calls to one upstream, whoever makes them. */
export interface UpstreamObserver {
  /** Given how to look at the upstream, whenever somebody wants to know. */
  follow(state: () => UpstreamState): void;
  /** An attempt has ended, so many milliseconds after it began. */
  attempted(call: Call, end: AttemptEnd, ms: number): void;
  /** A part of a batch was refused inside an answer that went well. */
  partRefused(status: number): void;
  /** A call had its turn, after so many milliseconds. */
  waited(ms: number): void;
  retried(call: Call): void;
  /** A call has failed before anything was sent. */
  heldBack(code: ErrorCode): void;
  /** The upstream has said that a caller asks too much. */
  throttled(): void;
  /** The upstream has failed as a whole, and is left alone from now on. */
  leftAlone(): void;
}
