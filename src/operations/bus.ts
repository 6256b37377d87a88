/** Messages between replicas, by topic. */
export interface Bus {
  /**
   * Joins a topic. Resolves when messages of other replicas arrive, or after a second where the bus cannot be reached;
   * never rejects. A message that a member publishes may reach its own `onMessage`, too.
   */
  join(topic: string, onMessage: (message: string) => void): Promise<BusMember>;
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
  return { join: async () => soleMember, close: async () => {} };
}
