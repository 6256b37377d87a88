/** What one replica publishes of the state of a topic. */
export interface StateMessage {
  /**
   * Grows with every message, whichever replica sends it. It is the time in milliseconds since 1970, or one more than
   * the last number where the clock is not ahead of that, so that replicas agree again after they were apart.
   */
  readonly number: number;
  readonly state: unknown;
  readonly isFinished: boolean;
}

/** Null for a message that no replica of this version sends. */
export function parseStateMessage(text: string): StateMessage | null {
  try {
    const message = JSON.parse(text) as Partial<StateMessage> | null;
    const isValid =
      Number.isSafeInteger(message?.number) &&
      message?.state !== undefined &&
      typeof message.isFinished === 'boolean';
    return isValid ? (message as StateMessage) : null;
  } catch {
    return null;
  }
}

/** The order of the messages of a topic: of those sent here, and of those received. */
export interface MessageOrder {
  /** Numbers a message of this replica. */
  next(): number;
  /** Whether a received message is newer than all that were sent or accepted before. */
  isNewer(number: number, isLeader: boolean): boolean;
  accept(number: number): void;
}

// Messages overtake each other by less than this. A lower number after it comes from a replica whose clock is behind.
const maxOvertakingMs = 10_000;

export function createMessageOrder(): MessageOrder {
  let last = 0;
  let acceptedAt = Number.NEGATIVE_INFINITY;

  const accept = (number: number) => {
    last = number;
    acceptedAt = performance.now();
  };
  return {
    next() {
      accept(Math.max(last + 1, Date.now()));
      return last;
    },
    isNewer(number, isLeader) {
      if (number === last) return false;
      // The leader has read the state itself.
      return number > last || !(isLeader || performance.now() - acceptedAt < maxOvertakingMs);
    },
    accept,
  };
}
