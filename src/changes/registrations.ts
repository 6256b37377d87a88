import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { UpstreamError } from '../errors.ts';
import type { Bus, Member } from '../operations/bus.ts';
import type { Target } from './client-state.ts';
import type { Subscription, Subscriptions } from './subscriptions.ts';

/** Holds one subscription for each target that is watched, on whichever replica. */
export interface Registrations {
  /** Sees to it that there is a subscription, and says whenever there is one or none any more. */
  hold(target: Target, onChange: (isStanding: boolean) => void): () => void;
  /** Ends all of them at the upstream, as far as it answers in time. */
  stop(): Promise<void>;
}

export interface RegistrationsOptions {
  readonly subscriptions: Subscriptions;
  readonly bus: Bus;
  /** The name of a target on the bus. */
  topicOf(target: Target): string;
  /** How long a subscription outlives its last watcher here. */
  readonly graceMs: number;
  /** How long after a failure to register the next attempt is due; later ones grow up to `checkMs`. */
  readonly retryMs: number;
  /** How often to look whether the upstream still has a subscription: it drops one without a word. */
  readonly checkMs: number;
  readonly log: Pick<Logger, 'warn'>;
}

interface Registration {
  isStanding: boolean;
  readonly hearers: Set<(isStanding: boolean) => void>;
  grace: NodeJS.Timeout | undefined;
  end(): Promise<void>;
}

// Replicas that share a bus hear something with every asking, if only themselves.
const deafAfter = 5;
const maxStopMs = 5_000;
const maxTimerMs = 2_147_483_647;

export function createRegistrations(options: RegistrationsOptions): Registrations {
  const { subscriptions, bus, topicOf, graceMs, retryMs, checkMs, log } = options;
  const registrations = new Map<string, Registration>();
  const ending = new Map<string, Promise<void>>();

  const start = (target: Target, topic: string): Registration => {
    let member: Member | null = null;
    let held: (Subscription & { readonly renewAt: number }) | null = null;
    let keeping: Promise<void> | null = null;
    let isLeading = false;
    let isOver = false;
    let dueAt = 0;
    let failures = 0;
    let heardAt = Date.now();
    let nextTurn: NodeJS.Timeout | undefined;

    const registration: Registration = {
      isStanding: false,
      hearers: new Set(),
      grace: undefined,
      async end() {
        isOver = true;
        clearTimeout(nextTurn);
        clearTimeout(registration.grace);
        await keeping;
        // Gone before the right to lead is given up: whoever gets that finds none, and makes one.
        if (isLeading && held) {
          if (member?.askAgainMs !== null) member?.tell(JSON.stringify({ isStanding: false }));
          await subscriptions.remove(held.id).catch(warn('A subscription to changes could not be ended.'));
        }
        member?.leave();
      },
    };
    const { companyId, type } = target;
    const warn = (message: string) => (error: unknown) =>
      log.warn({ companyId, type, ...loggable(error) }, message);
    const say = (isStanding: boolean) => {
      if (isOver || registration.isStanding === isStanding) return;
      registration.isStanding = isStanding;
      for (const hear of registration.hearers) hear(isStanding);
    };

    /** Whether what another replica is told would not be heard here. */
    const isDeaf = () => {
      const askAgainMs = member?.askAgainMs ?? null;
      return askAgainMs !== null && Date.now() - heardAt > askAgainMs * deafAfter;
    };

    const keep = async () => {
      try {
        const mustRenew = held !== null && Date.now() >= held.renewAt;
        const former = held;
        const { id, endsAt } = await subscriptions.ensure(target, mustRenew);
        const now = Date.now();
        const isAsBefore = former?.id === id && !mustRenew;
        // One that was made anew has missed what happened in between.
        if (former?.id !== id) say(false);
        held = { id, endsAt, renewAt: isAsBefore ? former.renewAt : now + ((endsAt - now) * 2) / 3 };
        failures = 0;
        dueAt = Math.max(Math.min(held.renewAt, now + checkMs), now + Math.min(retryMs, 1_000));
        say(!isDeaf());
      } catch (error) {
        // Nobody waits for this who could be told of a mistake of our own: it is a failure like others.
        const { retryAfterSeconds, status } = error instanceof UpstreamError ? error : unexplained;
        const pauseMs = Math.max(retryMs * 2 ** failures, (retryAfterSeconds ?? 0) * 1_000);
        dueAt = Date.now() + Math.min(pauseMs, checkMs);
        if (failures === 0) warn('Changes are polled: the upstream could not be asked to tell them.')(error);
        failures += 1;
        // One that is only not renewed yet still stands.
        if (held === null || Date.now() >= held.endsAt || status === 404) {
          held = null;
          say(false);
        }
      } finally {
        keeping = null;
      }
    };

    const turn = async () => {
      const leads = await (member as Member).leads();
      if (isOver) return;
      isLeading = leads;
      if (!leads) held = null;
      if (leads && !keeping && Date.now() >= dueAt) {
        keeping = keep();
        // The right to lead is kept meanwhile.
        if ((member as Member).askAgainMs === null) await keeping;
      }
      if (isOver) return;
      const { askAgainMs, tell } = member as Member;
      if (leads && askAgainMs !== null) tell(JSON.stringify({ isStanding: held !== null }));
      if (isDeaf()) say(false);
      else if (leads && held) say(true);
      const waitMs = Math.min(askAgainMs ?? maxTimerMs, leads ? Math.max(dueAt - Date.now(), 0) : maxTimerMs);
      nextTurn = setTimeout(turn, keeping ? (askAgainMs ?? 0) : waitMs);
    };

    const join = async () => {
      await ending.get(topic);
      if (isOver) return;
      member = await bus.join(topic, (message) => {
        heardAt = Date.now();
        if (!isLeading) say(isTold(message));
      });
      if (isOver) member.leave();
      else await turn();
    };
    registrations.set(topic, registration);
    void join();
    return registration;
  };

  const end = (topic: string, registration: Registration): Promise<void> => {
    registrations.delete(topic);
    const ended = registration.end().finally(() => {
      if (ending.get(topic) === ended) ending.delete(topic);
    });
    ending.set(topic, ended);
    return ended;
  };

  return {
    hold(target, onChange) {
      const topic = topicOf(target);
      const registration = registrations.get(topic) ?? start(target, topic);
      clearTimeout(registration.grace);
      registration.hearers.add(onChange);
      if (registration.isStanding) onChange(true);
      return () => {
        registration.hearers.delete(onChange);
        if (registration.hearers.size > 0) return;
        clearTimeout(registration.grace);
        registration.grace = setTimeout(() => {
          if (registrations.get(topic) === registration) void end(topic, registration);
        }, graceMs);
      };
    },

    async stop() {
      for (const [topic, registration] of registrations) void end(topic, registration);
      await Promise.race([Promise.all(ending.values()), sleep(maxStopMs, undefined, { ref: false })]);
    },
  };
}

const unexplained = { retryAfterSeconds: null, status: null };

/** What a log may say of a failure: what the upstream wrote may hold what must not be there. */
const loggable = (error: unknown) =>
  error instanceof UpstreamError ? { code: error.code, status: error.status } : { err: error };

function isTold(message: string): boolean {
  try {
    return (JSON.parse(message) as { isStanding?: unknown } | null)?.isStanding === true;
  } catch {
    return false;
  }
}
