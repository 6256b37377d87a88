import type { z } from 'zod';

/** Messages between replicas, by topic. */
export interface Bus {
  /**
   * Joins a topic. Resolves when the topic is subscribed, or after a second if the bus cannot be reached; never rejects. A
   * member may receive its own messages.
   */
  join(topic: string, onMessage: (message: string) => void): Promise<BusMember>;
  /** Whether messages of other replicas arrive; true for a single replica. */
  isConnected(): boolean;
  close(): Promise<void>;
}

export interface BusMember {
  /**
   * Acquires or renews the lease of the topic. Returns whether this member holds it: one member at a time, or every member
   * while the bus cannot be reached. Before this resolves, the last message is delivered again.
   */
  acquireLease(): Promise<boolean>;
  /** Time between two calls of `acquireLease`, in milliseconds; null if the lease never expires. */
  readonly leaseRenewalMs: number | null;
  /** Publishes a message; delivery is not guaranteed. `acquireLease` delivers the last message again. */
  publish(message: string): void;
  /** Publishes `<name> <ms>`, and retains it until `ms` milliseconds have passed. */
  publishRetained(name: string, ms: number): void;
  /**
   * Delivers each retained message as `<name> <milliseconds left>`, now and after each reconnection. Resolves after 250 ms
   * at the latest; never rejects.
   */
  replayRetained(): Promise<void>;
  leave(): void;
}

const soleMember: BusMember = {
  acquireLease: async () => true,
  leaseRenewalMs: null,
  publish() {},
  publishRetained() {},
  replayRetained: async () => {},
  leave() {},
};

/** Creates the bus of a single replica: it always holds the lease, and its messages go nowhere. */
export function createMemoryBus(): Bus {
  return { join: async () => soleMember, isConnected: () => true, close: async () => {} };
}

/** Parses a message as JSON; null if it does not match the schema, as a message of another version may. */
export function parseMessage<Message>(schema: z.ZodType<Message>, text: string): Message | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** A replica's membership of a topic, with a lease that is acquired or renewed periodically. */
export interface Lease {
  /** Whether this replica holds the lease, as of the last renewal. */
  isHeld(): boolean;
  publish(message: string): void;
  /** Stops the renewal: the lease expires. Messages still arrive. */
  stopRenewing(): void;
  release(): void;
}

/** Joins a topic and renews its lease. Calls `onRenewal` after each attempt to acquire or renew it. */
export function startLease(
  bus: Bus,
  topic: string,
  onMessage: (message: string) => void,
  onRenewal: (isHeld: boolean) => void,
): Lease {
  let member: BusMember | null = null;
  let isHeld = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const renew = async (joined: BusMember) => {
    const isHolder = await joined.acquireLease();
    if (isStopped) return;
    isHeld = isHolder;
    onRenewal(isHeld);
    if (joined.leaseRenewalMs !== null) timer = setTimeout(renew, joined.leaseRenewalMs, joined);
  };
  const join = async () => {
    member = await bus.join(topic, onMessage);
    if (isStopped) member.leave();
    else await renew(member);
  };
  const stopRenewing = () => {
    isStopped = true;
    clearTimeout(timer);
  };
  void join();

  return {
    isHeld: () => isHeld,
    publish: (message) => member?.publish(message),
    stopRenewing,
    release() {
      stopRenewing();
      member?.leave();
    },
  };
}
