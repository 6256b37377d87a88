import type { Bus } from '../operations/bus.ts';
import { startLease } from '../operations/lease.ts';
import type { SubscriptionTarget } from './client-state.ts';
import { createSubscriptionUpkeep, type SubscriptionUpkeepOptions } from './subscription-upkeep.ts';

/** The subscription to one target, which the replica that holds the lease keeps for all. */
export interface Registration {
  isActive(): boolean;
  /** Calls the listener whenever the subscription becomes active or inactive. */
  readonly listeners: Set<(isActive: boolean) => void>;
  /** Ends the registration here, and the subscription where this replica keeps it. Never rejects. */
  end(): Promise<void>;
}

export interface RegistrationOptions extends Omit<SubscriptionUpkeepOptions, 'target' | 'onChange'> {
  readonly bus: Bus;
}

// The leader publishes with every renewal of its lease, and hears its own messages as well.
const maxMissedMessages = 5;

/** Returns at once, and competes for the lease when the previous registration of this topic has ended. */
export function startRegistration(
  options: RegistrationOptions,
  target: SubscriptionTarget,
  topic: string,
  previousEnded: Promise<void> | undefined,
): Registration {
  const listeners = new Set<(isActive: boolean) => void>();
  let isActive = false;
  let isEnded = false;
  let heardAt = performance.now();

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
  const upkeep = createSubscriptionUpkeep({
    ...options,
    target,
    onChange: (isUp) => setActive(isUp && !isCutOff()),
  });
  const publish = (isHeld: boolean) =>
    lease.publish(JSON.stringify({ isStanding: isHeld } satisfies ActiveMessage));

  const lease = startLease({
    bus: options.bus,
    topic,
    after: previousEnded,
    onMessage(message) {
      heardAt = performance.now();
      if (!lease.isHeld()) setActive(parseActiveMessage(message));
    },
    async onRenewal(isHeld) {
      if (!isHeld) upkeep.handOver();
      else if (!upkeep.isRunning() && upkeep.dueInMs() === 0) {
        const run = upkeep.run();
        // Meanwhile a lease that other replicas want has to be renewed.
        if (lease.renewalMs() === null) await run;
      }
      if (isHeld) publish(upkeep.isHeld());
      if (isCutOff()) setActive(false);
      else if (isHeld && upkeep.isHeld()) setActive(true);
      return isHeld && !upkeep.isRunning() ? upkeep.dueInMs() : Number.POSITIVE_INFINITY;
    },
  });

  return {
    isActive: () => isActive,
    listeners,
    async end() {
      isEnded = true;
      lease.stopRenewing();
      await upkeep.idle();
      // Removed before the lease is released, so that its next holder finds no subscription and creates one.
      if (lease.isHeld() && upkeep.isHeld()) {
        publish(false);
        await upkeep.remove();
      }
      lease.release();
    },
  };
}

/** What the leader publishes. The name of the field is a wire format between replicas of different versions. */
interface ActiveMessage {
  readonly isStanding: boolean;
}

/** False for a message that no replica of this version sends. */
function parseActiveMessage(message: string): boolean {
  try {
    return (JSON.parse(message) as Partial<ActiveMessage> | null)?.isStanding === true;
  } catch {
    return false;
  }
}
