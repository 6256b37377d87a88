import { setTimeout as sleep } from 'node:timers/promises';
import type { SubscriptionTarget } from './client-state.ts';
import { type Registration, type RegistrationOptions, startRegistration } from './registration.ts';

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

export interface RegistrationsOptions extends RegistrationOptions {
  /** The name of a target on the bus. */
  topicFor(target: SubscriptionTarget): string;
  /** How long a registration outlives its last listener here. */
  readonly graceMs: number;
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
