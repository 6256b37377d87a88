/** How replicas share what one of them sees, topic by topic. */
export interface Bus {
  /**
   * Takes part in a topic. Resolves once what other replicas tell of it is heard, or cannot be for now; never
   * rejects.
   */
  join(topic: string, hear: (message: string) => void): Promise<Member>;
  close(): Promise<void>;
}

export interface Member {
  /**
   * Whether this replica is the one to look, until it asks again: one replica holds that right, and where nobody
   * can say, all do. What was told last and not heard is heard before the answer.
   */
  leads(): Promise<boolean>;
  /** How long after one asking the next is due, in milliseconds; null where the answer stands for good. */
  readonly askAgainMs: number | null;
  /** Tells the other replicas. They may miss it; the last one told is there for whoever comes. */
  tell(message: string): void;
  /** Gives up the right to look, and hears no more. */
  leave(): void;
}

const alone: Member = { leads: async () => true, askAgainMs: null, tell() {}, leave() {} };

/** A replica by itself: it always looks, and nobody else hears. */
export function createMemoryBus(): Bus {
  return { join: async () => alone, close: async () => {} };
}
