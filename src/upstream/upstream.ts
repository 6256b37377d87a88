import type { UpstreamName } from '../errors.ts';
import { type BreakerCaller, createBreaker, noBreaker } from './breaker.ts';
import { type Client, createClient } from './client.ts';
import { createConnection } from './connection.ts';
import { createGate, type Gate, type Passenger } from './gate.ts';
import { createLately } from './lately.ts';
import type { UpstreamObserver, UpstreamState } from './observer.ts';
import { createRetryBudget } from './retry-budget.ts';
import type { UpstreamLook } from './upstreams.ts';

export interface UpstreamOptions {
  readonly upstream: UpstreamName;
  /** Base address; a path in it is put before every call's path. */
  readonly url: string;
  /** How often a call may be tried. */
  readonly attempts: number;
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly maxResponseBytes: number;
  /** What no text of the upstream may show, beside the token of a call. */
  readonly secrets: readonly string[];
  /** How many calls may be on their way, and how many of one caller; how many of one caller may wait. */
  readonly connections: number;
  readonly callsOfCaller: number;
  readonly waitingOfCaller: number;
  /** Whether the upstream is left alone when it fails too often. */
  readonly hasBreaker: boolean;
  /** Told that a caller was throttled here, and for how long it sends nothing. */
  onThrottled(pace: string, ms: number): void;
  /** Told when the upstream is left alone, and when it is asked again. */
  onOutage(isOut: boolean): void;
  readonly observer?: UpstreamObserver | undefined;
  random(): number;
}

const longestConnectMs = 10_000;

export interface Upstream {
  readonly client: Client;
  readonly gate: Gate;
  /** How it does, for one caller. */
  look(caller: Passenger & BreakerCaller): UpstreamLook;
  /** How things stand, whoever asks. */
  state(): UpstreamState;
}

/** An upstream with all that keeps it, and those who wait for it, from harm. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { upstream, url, readTimeoutMs, writeTimeoutMs, maxResponseBytes, connections, observer } = options;
  const gate = createGate({ ...options, calls: connections });
  const breaker = options.hasBreaker ? createBreaker({ upstream, onChange: options.onOutage }) : noBreaker;
  const budget = createRetryBudget();
  const lately = createLately();
  const connection = createConnection({
    upstream,
    url,
    connectTimeoutMs: Math.min(readTimeoutMs, longestConnectMs),
    slowMs: Math.min(readTimeoutMs / 2, longestConnectMs),
    maxResponseBytes,
    connections,
    secrets: options.secrets,
  });
  const client = createClient({
    connection,
    gate,
    breaker,
    lately,
    budget,
    attempts: options.attempts,
    readTimeoutMs,
    writeTimeoutMs,
    onThrottled(pace, ms) {
      gate.close(pace, ms);
      options.onThrottled(pace, ms);
    },
    observer,
    random: options.random,
  });
  const state = (): UpstreamState => ({
    ...gate.state(),
    isLeftAlone: breaker.state().isOpen,
    failingCallers: breaker.state().failingCallers,
    retryBudget: budget.left(),
  });
  const look = (caller: Passenger & BreakerCaller): UpstreamLook => ({
    breaker: breaker.look(caller),
    pace: gate.look(caller),
    lately: lately.look(),
  });
  return { client, gate, look, state };
}
