import type { z } from 'zod';

/** Messages between replicas, by topic. */
export interface Bus {
  /**
   * Joins a topic. Resolves when messages of other replicas arrive, or after a second where the bus cannot be reached;
   * never rejects. A message that a member publishes may reach its own `onMessage`, too.
   */
  join(topic: string, onMessage: (message: string) => void): Promise<BusMember>;
  /** Whether messages of other replicas arrive; true where there are none. */
  isConnected(): boolean;
  close(): Promise<void>;
}

/** A replica's membership of one topic. */
export interface BusMember {
  /**
   * Acquires or renews the lease of the topic and tells whether this member holds it. One member holds it at a time; while
   * the bus cannot be reached, every member is told that it does. The last message is delivered again before this
   * resolves, for those who missed it.
   */
  acquireLease(): Promise<boolean>;
  /** How long after one call of `acquireLease` the next is due, in milliseconds; null where the lease never expires. */
  readonly leaseRenewalMs: number | null;
  /** Publishes without guarantee of delivery. The last message is delivered again by `acquireLease`. */
  publish(message: string): void;
  /** Publishes `<name> <ms>`, and retains it until `ms` milliseconds have passed. */
  publishRetained(name: string, ms: number): void;
  /**
   * Delivers what is retained as `<name> <milliseconds left>`, now and whenever the bus can be reached again. Resolves
   * after a quarter of a second at the latest; never rejects.
   */
  replayRetained(): Promise<void>;
  /** Releases the lease and leaves the topic. */
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

/** A bus for a single replica: it always holds the lease, and nobody else receives messages. */
export function createMemoryBus(): Bus {
  return { join: async () => soleMember, isConnected: () => true, close: async () => {} };
}

/** Parses a message as JSON; null for one that no replica of this version sends. */
export function parseMessage<Message>(schema: z.ZodType<Message>, text: string): Message | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** A replica's membership of a topic, and its lease of it, which is acquired or renewed again and again. */
export interface Lease {
  /** Whether this replica holds the lease, as of the last renewal. */
  isHeld(): boolean;
  publish(message: string): void;
  /** Lets the lease expire, unless it is released before. Messages still arrive. */
  stopRenewing(): void;
  /** Gives up the lease and leaves the topic. */
  release(): void;
}

/** Calls `onRenewal` after each renewal. */
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
