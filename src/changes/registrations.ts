import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { UpstreamError } from '../errors.ts';
import { type Bus, parseMessage, startLease } from '../operations/bus.ts';
import type { SubscriptionTarget, UpstreamSubscriptions } from './upstream-subscriptions.ts';

/** One subscription at the upstream for each target with a listener, whichever replicas the listeners are on. */
export interface Registrations {
  /**
   * Registers a listener, which is called whenever the subscription becomes active or inactive; at once where it is
   * active. Returns how to unregister.
   */
  register(target: SubscriptionTarget, onActiveChange: (isActive: boolean) => void): () => void;
  /** Ends all subscriptions that this replica keeps, as far as the upstream responds in time. */
  stop(): Promise<void>;
}

export interface RegistrationsOptions {
  readonly subscriptions: UpstreamSubscriptions;
  readonly bus: Bus;
  /** The name of a target on the bus. */
  topicFor(target: SubscriptionTarget): string;
  /** How long a registration outlives its last listener here. */
  readonly graceMs: number;
  /** How long after a failure the next attempt is due. Doubles with each failure in a row, up to `checkMs`. */
  readonly retryMs: number;
  /** How often to check that the upstream still has the subscription: it drops one silently. */
  readonly checkMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

const stopTimeoutMs = 5_000;

export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { topicFor, graceMs } = options;
  const registrations = new Map<string, Registration>();
  const graceTimers = new Map<Registration, NodeJS.Timeout>();
  // By topic: the next registration of a topic starts after the former one has ended.
  const ending = new Map<string, Promise<void>>();

  const cancelGrace = (registration: Registration) => {
    clearTimeout(graceTimers.get(registration));
    graceTimers.delete(registration);
  };
  const end = (topic: string, registration: Registration) => {
    cancelGrace(registration);
    registrations.delete(topic);
    const ended = registration.end().finally(() => {
      if (ending.get(topic) === ended) ending.delete(topic);
    });
    ending.set(topic, ended);
  };

  return {
    register(target, onActiveChange) {
      const topic = topicFor(target);
      const registration =
        registrations.get(topic) ?? startRegistration(options, target, topic, ending.get(topic));
      registrations.set(topic, registration);
      cancelGrace(registration);
      registration.listeners.add(onActiveChange);
      if (registration.isActive()) onActiveChange(true);
      return () => {
        registration.listeners.delete(onActiveChange);
        if (registration.listeners.size > 0 || registrations.get(topic) !== registration) return;
        cancelGrace(registration);
        graceTimers.set(
          registration,
          setTimeout(() => end(topic, registration), graceMs),
        );
      };
    },

    async stop() {
      for (const [topic, registration] of registrations) end(topic, registration);
      await Promise.race([Promise.all(ending.values()), sleep(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}

/** The subscription to one target, which the replica that holds the lease keeps for all. */
interface Registration {
  isActive(): boolean;
  /** Calls the listener whenever the subscription becomes active or inactive. */
  readonly listeners: Set<(isActive: boolean) => void>;
  /** Ends the registration here, and the subscription where this replica keeps it. Never rejects. */
  end(): Promise<void>;
}

/** The subscription at the upstream that this replica keeps. Times are of the monotonic clock. */
interface HeldSubscription {
  readonly id: string;
  readonly expiresAt: number;
  readonly renewAt: number;
}

// The leader publishes with every renewal of its lease, and hears its own messages as well.
const maxMissedMessages = 5;
const minPauseMs = 1_000;

/** Returns at once, and competes for the lease when the previous registration of this topic has ended. */
function startRegistration(
  { subscriptions, bus, retryMs, checkMs, log }: RegistrationsOptions,
  target: SubscriptionTarget,
  topic: string,
  previousEnded: Promise<void> | undefined,
): Registration {
  const listeners = new Set<(isActive: boolean) => void>();
  let isActive = false;
  let isEnded = false;
  let heardAt = performance.now();
  let held: HeldSubscription | null = null;
  /** Creates, renews or checks the subscription; one run at a time. */
  let running: Promise<void> | null = null;
  let dueAt = Number.NEGATIVE_INFINITY;
  let failures = 0;

  const setActive = (next: boolean) => {
    if (isEnded || isActive === next) return;
    isActive = next;
    for (const listener of listeners) listener(next);
  };
  /** Whether messages of other replicas no longer arrive: notices that they receive would be missed here. */
  const isCutOff = () => {
    const renewalMs = lease.renewalMs();
    return renewalMs !== null && performance.now() - heardAt > renewalMs * maxMissedMessages;
  };
  const warn = (error: unknown, message: string) =>
    log.warn({ companyId: target.companyId, type: target.type, ...errorLogFields(error) }, message);

  const succeed = (former: HeldSubscription | null, id: string, remainingMs: number, isRenewed: boolean) => {
    const now = performance.now();
    // A new subscription has missed the changes since the former one ended.
    if (former?.id !== id) setActive(false);
    const renewAt = former?.id === id && !isRenewed ? former.renewAt : now + (remainingMs * 2) / 3;
    held = { id, expiresAt: now + remainingMs, renewAt };
    failures = 0;
    dueAt = Math.max(Math.min(renewAt, now + checkMs), now + Math.min(retryMs, minPauseMs));
    setActive(!isCutOff());
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
    setActive(false);
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

  const publish = (isStanding: boolean) => lease.publish(JSON.stringify({ isStanding }));
  const lease = startLease({
    bus,
    topic,
    after: previousEnded,
    onMessage(message) {
      heardAt = performance.now();
      if (!lease.isHeld()) setActive(parseMessage(activeMessageSchema, message)?.isStanding ?? false);
    },
    async onRenewal(isHeld) {
      // The replica that holds the lease now keeps the subscription.
      if (!isHeld) held = null;
      else if (running === null && performance.now() >= dueAt) {
        running = ensure();
        // Meanwhile a lease that other replicas want has to be renewed.
        if (lease.renewalMs() === null) await running;
      }
      if (isHeld) publish(held !== null);
      if (isCutOff()) setActive(false);
      else if (isHeld && held !== null) setActive(true);
      return isHeld && running === null ? Math.max(dueAt - performance.now(), 0) : Number.POSITIVE_INFINITY;
    },
  });

  return {
    isActive: () => isActive,
    listeners,
    async end() {
      isEnded = true;
      lease.stopRenewing();
      await running;
      // Removed before the lease is released, so that its next holder finds no subscription and creates one.
      if (lease.isHeld() && held !== null) {
        publish(false);
        await subscriptions
          .remove(target, held.id)
          .catch((error: unknown) => warn(error, 'A subscription to changes could not be removed.'));
      }
      lease.release();
    },
  };
}

/** What the leader publishes. The name of the field is a wire format between replicas of different versions. */
const activeMessageSchema = z.object({ isStanding: z.boolean() });

const noUpstreamDetails = { retryAfterSeconds: null, status: null };

/** What is logged of a failure: not its message, since what the upstream wrote may contain secrets. */
const errorLogFields = (error: unknown) =>
  error instanceof UpstreamError
    ? { code: error.code, status: error.status, upstreamRequestId: error.upstreamRequestId ?? undefined }
    : { err: error };
