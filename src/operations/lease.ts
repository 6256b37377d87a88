import type { Bus, BusMember } from './bus.ts';

/** A replica's membership of a topic, and its lease of it, which is acquired or renewed again and again. */
export interface Lease {
  /** Whether this replica holds the lease, as of the last renewal. */
  isHeld(): boolean;
  /** How long after one renewal the next is due; null before the topic is joined, and where no other replica exists. */
  renewalMs(): number | null;
  publish(message: string): void;
  /** Lets the lease expire, unless it is released before. Messages still arrive. */
  stopRenewing(): void;
  /** Gives up the lease and leaves the topic. */
  release(): void;
}

export interface LeaseOptions {
  readonly bus: Bus;
  readonly topic: string;
  /** The topic is joined after this. */
  readonly after?: Promise<unknown> | undefined;
  onMessage(message: string): void;
  /** Called after each renewal. What it returns, in milliseconds, makes the next renewal come earlier. */
  onRenewal(isHeld: boolean): number | Promise<number>;
}

// A longer time overflows the timers of Node.js, which then fire at once.
const maxTimerMs = 2 ** 31 - 1;

export function startLease({ bus, topic, after, onMessage, onRenewal }: LeaseOptions): Lease {
  let member: BusMember | null = null;
  let isHeld = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const renew = async (joined: BusMember) => {
    const isHolder = await joined.acquireLease();
    if (isStopped) return;
    isHeld = isHolder;
    const wantedMs = await onRenewal(isHeld);
    if (isStopped) return;
    const waitMs = Math.min(wantedMs, joined.leaseRenewalMs ?? Number.POSITIVE_INFINITY);
    if (waitMs < Number.POSITIVE_INFINITY) timer = setTimeout(renew, Math.min(waitMs, maxTimerMs), joined);
  };
  const join = async () => {
    await after;
    if (isStopped) return;
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
    renewalMs: () => member?.leaseRenewalMs ?? null,
    publish: (message) => member?.publish(message),
    stopRenewing,
    release() {
      stopRenewing();
      member?.leave();
    },
  };
}
