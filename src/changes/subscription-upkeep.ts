import type { Logger } from 'pino';
import { UpstreamError } from '../errors.ts';
import type { SubscriptionTarget } from './client-state.ts';
import type { UpstreamSubscriptions } from './upstream-subscriptions.ts';

/** Keeps one subscription at the upstream: creates it, renews it, and checks that the upstream still has it. */
export interface SubscriptionUpkeep {
  /** Whether the upstream has the subscription, as far as this replica knows. */
  isHeld(): boolean;
  isRunning(): boolean;
  /** After how many milliseconds the next run is due; 0 where it is due now. */
  dueInMs(): number;
  /** One run. Never rejects; the next must not start before it has ended. */
  run(): Promise<void>;
  /** Leaves the subscription to the replica that holds the lease now. */
  handOver(): void;
  /** Resolves when no run is going on. */
  idle(): Promise<void>;
  /** Removes the subscription from the upstream. Never rejects. */
  remove(): Promise<void>;
}

export interface SubscriptionUpkeepOptions {
  readonly subscriptions: UpstreamSubscriptions;
  readonly target: SubscriptionTarget;
  /** How long after a failure the next attempt is due. Doubles with each failure in a row, up to `checkMs`. */
  readonly retryMs: number;
  /** How often to check that the upstream still has the subscription: it drops one silently. */
  readonly checkMs: number;
  readonly log: Pick<Logger, 'warn'>;
  /** Called after each run with whether the upstream has the subscription, and with false when it was replaced. */
  onChange(isActive: boolean): void;
}

/** Times are of the monotonic clock. */
interface HeldSubscription {
  readonly id: string;
  readonly expiresAt: number;
  readonly renewAt: number;
}

const minPauseMs = 1_000;

export function createSubscriptionUpkeep(options: SubscriptionUpkeepOptions): SubscriptionUpkeep {
  const { subscriptions, target, retryMs, checkMs, log, onChange } = options;
  let held: HeldSubscription | null = null;
  let running: Promise<void> | null = null;
  let dueAt = Number.NEGATIVE_INFINITY;
  let failures = 0;

  const warn = (error: unknown, message: string) =>
    log.warn({ companyId: target.companyId, type: target.type, ...errorLogFields(error) }, message);

  const succeed = (former: HeldSubscription | null, id: string, remainingMs: number, isRenewed: boolean) => {
    const now = performance.now();
    // A new subscription has missed the changes since the former one ended.
    if (former?.id !== id) onChange(false);
    const renewAt = former?.id === id && !isRenewed ? former.renewAt : now + (remainingMs * 2) / 3;
    held = { id, expiresAt: now + remainingMs, renewAt };
    failures = 0;
    dueAt = Math.max(Math.min(renewAt, now + checkMs), now + Math.min(retryMs, minPauseMs));
    onChange(true);
  };
  const fail = (error: unknown) => {
    const { retryAfterSeconds, status } = error instanceof UpstreamError ? error : noUpstreamDetails;
    const pauseMs = Math.max(retryMs * 2 ** failures, (retryAfterSeconds ?? 0) * 1_000);
    dueAt = performance.now() + Math.min(pauseMs, checkMs);
    if (failures === 0)
      warn(error, 'Subscribing to changes at the upstream failed: they are polled instead.');
    failures += 1;
    // A subscription that could not be renewed yet still sends notifications.
    if (held && performance.now() < held.expiresAt && status !== 404) return;
    held = null;
    onChange(false);
  };
  const ensure = async () => {
    const former = held;
    const mustRenew = former !== null && performance.now() >= former.renewAt;
    try {
      const { id, remainingMs } = await subscriptions.ensure(target, mustRenew);
      succeed(former, id, remainingMs, mustRenew);
    } catch (error) {
      // Programming errors, too: no caller waits for this run.
      fail(error);
    } finally {
      running = null;
    }
  };

  return {
    isHeld: () => held !== null,
    isRunning: () => running !== null,
    dueInMs: () => Math.max(dueAt - performance.now(), 0),
    run() {
      running = ensure();
      return running;
    },
    handOver() {
      held = null;
    },
    async idle() {
      await running;
    },
    async remove() {
      if (!held) return;
      await subscriptions
        .remove(target, held.id)
        .catch((error: unknown) => warn(error, 'A subscription to changes could not be removed.'));
    },
  };
}

const noUpstreamDetails = { retryAfterSeconds: null, status: null };

/** What is logged of a failure: not its message, since what the upstream wrote may contain secrets. */
const errorLogFields = (error: unknown) =>
  error instanceof UpstreamError
    ? { code: error.code, status: error.status, upstreamRequestId: error.upstreamRequestId ?? undefined }
    : { err: error };
