import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { UpstreamError } from '../errors.ts';
import type { Bus } from '../operations/bus.ts';
import { createFollow, type Poll } from '../operations/follow.ts';
import { isJsonObject, stringOrNull } from '../runtime/json.ts';
import type { SubscriptionTarget, UpstreamSubscriptions } from './upstream-subscriptions.ts';

/** Keeps one upstream subscription per target that has a listener on any replica. */
export interface Registrations {
  /**
   * Registers a listener. It is called when the subscription becomes active or inactive, and when a new subscription has
   * replaced it, which has missed the changes in between. Returns the function that unregisters the listener.
   */
  register(target: SubscriptionTarget, onActiveChange: (isActive: boolean) => void): () => void;
  /** Removes the subscriptions of this replica, within five seconds. */
  stop(): Promise<void>;
}

export interface RegistrationsOptions {
  readonly subscriptions: UpstreamSubscriptions;
  readonly bus: Bus;
  topicFor(target: SubscriptionTarget): string;
  /** How long a registration outlives its last listener on this replica. */
  readonly graceMs: number;
  /** The pause after a failure. Doubles with each consecutive failure, up to `checkMs`. */
  readonly retryMs: number;
  /** How often to check that the upstream still has the subscription: it may drop one without notice. */
  readonly checkMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

interface ActiveSubscription {
  /** The hash of its id; null without a subscription. */
  readonly digest: string | null;
}

const stopTimeoutMs = 5_000;

export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { bus, topicFor, graceMs, retryMs } = options;
  const follow = createFollow<ActiveSubscription>({
    pollMs: retryMs,
    replicas: {
      bus,
      parseValue: (value) => (isJsonObject(value) ? { digest: stringOrNull(value.digest) } : null),
    },
  });
  const followed = new Set<AsyncIterableIterator<ActiveSubscription>>();
  // By topic: the next subscription is created after the previous one has been removed.
  const removals = new Map<string, Promise<void>>();

  const createPoll = (target: SubscriptionTarget, topic: string): Poll<ActiveSubscription> => {
    const { read, remove } = createSubscription(options, target, removals.get(topic));
    return {
      read,
      async onStop(isLeader) {
        if (!isLeader) return;
        const removal = remove();
        removals.set(topic, removal);
        await removal;
        if (removals.get(topic) === removal) removals.delete(topic);
      },
    };
  };

  return {
    register(target, onActiveChange) {
      const topic = topicFor(target);
      const states = follow(topic, () => createPoll(target, topic));
      followed.add(states);
      let isListening = true;
      const listen = async () => {
        let active: string | null = null;
        for await (const { digest } of states) {
          if (isListening && digest !== active) onActiveChange(digest !== null);
          active = digest;
        }
        followed.delete(states);
      };
      void listen();
      return () => {
        isListening = false;
        setTimeout(() => states.return?.(), graceMs).unref();
      };
    },

    async stop() {
      for (const states of followed) void states.return?.();
      await Promise.race([Promise.all(removals.values()), sleep(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** A subscription at the upstream. Times are on the clock of `performance.now()`. */
interface HeldSubscription {
  readonly id: string;
  readonly expiresAt: number;
  readonly renewAt: number;
}

const minPauseMs = 1_000;
// How often to check the bus: without it, notifications that other replicas receive are missed here.
const connectionCheckMs = 2_000;

/** Creates the subscription to a target after the previous one has been removed, and keeps it alive. */
function createSubscription(
  { subscriptions, bus, retryMs, checkMs, log }: RegistrationsOptions,
  target: SubscriptionTarget,
  previousRemoved: Promise<void> | undefined,
) {
  let held: HeldSubscription | null = null;
  let running: Promise<void> | undefined = previousRemoved;
  let dueAt = Number.NEGATIVE_INFINITY;
  let failures = 0;

  const warn = (error: unknown, message: string) =>
    log.warn({ companyId: target.companyId, type: target.type, ...errorLogFields(error) }, message);

  const fail = (error: unknown) => {
    const { retryAfterSeconds, status } = error instanceof UpstreamError ? error : noUpstreamDetails;
    const pauseMs = Math.max(retryMs * 2 ** failures, (retryAfterSeconds ?? 0) * 1_000);
    dueAt = performance.now() + Math.min(pauseMs, checkMs);
    if (failures === 0)
      warn(error, 'Subscribing to changes at the upstream failed: they are polled instead.');
    failures += 1;
    // A subscription whose renewal failed sends notifications until it expires.
    if (!held || performance.now() >= held.expiresAt || status === 404) held = null;
  };
  /** Creates, renews or checks the subscription. */
  const ensure = async () => {
    const mustRenew = held !== null && performance.now() >= held.renewAt;
    try {
      const { id, remainingMs } = await subscriptions.ensure(target, mustRenew);
      const now = performance.now();
      const renewAt = held?.id === id && !mustRenew ? held.renewAt : now + (remainingMs * 2) / 3;
      held = { id, expiresAt: now + remainingMs, renewAt };
      failures = 0;
      dueAt = Math.max(Math.min(renewAt, now + checkMs), now + Math.min(retryMs, minPauseMs));
    } catch (error) {
      // Catches programming errors, too: they must not end the polls of watchers.
      fail(error);
    }
  };

  return {
    async read() {
      await running;
      if (performance.now() >= dueAt) {
        running = ensure();
        await running;
      }
      return {
        value: { digest: held && bus.isConnected() ? hash('sha256', held.id, 'base64url') : null },
        waitMs: Math.max(0, Math.min(dueAt - performance.now(), connectionCheckMs)),
      };
    },

    /** Never rejects. */
    async remove(): Promise<void> {
      await running;
      if (held === null) return;
      await subscriptions
        .remove(target, held.id)
        .catch((error: unknown) => warn(error, 'A subscription to changes could not be removed.'));
    },
  };
}

const noUpstreamDetails = { retryAfterSeconds: null, status: null };

/** Returns the log fields of a failure. An upstream's message is left out: it may contain secrets. */
const errorLogFields = (error: unknown) =>
  error instanceof UpstreamError
    ? { code: error.code, status: error.status, upstreamRequestId: error.upstreamRequestId ?? undefined }
    : { err: error };
