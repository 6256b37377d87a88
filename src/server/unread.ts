/** An event on its way to a client: first room for it, then its bytes, until the client has taken them. */
export interface UnreadEvent {
  /** The event is written, and so long. */
  written(bytes: number): void;
  /** The client has taken it, or nobody will. */
  release(): void;
}

/** Bounds the memory of events that clients have not read, over all WebSockets and event streams. */
export interface UnreadEvents {
  /**
   * Resolves when an event may be written to a caller. Until then none should be made into text. `cutOff` ends the
   * connection: it is called where others wait for room and the client does not take the event.
   */
  reserve(caller: string, cutOff: () => void): UnreadEvent | Promise<UnreadEvent>;
}

const maxBytes = 64 * 1024 * 1024;
// What an event counts for until it is written, as its size is not known before. Nothing is read in between.
const reservedBytes = 4 * 1024 * 1024;
// How long an event may be unread while others of its caller wait for room, and while everybody waits: they wait for
// longer than events are on their way to clients that read.
const stalledMs = 5_000;
const fullMs = 2_000;
const patienceMs = 1_000;

interface Account {
  bytes: number;
  readonly waiting: { readonly since: number; take(): void }[];
}

interface Written {
  readonly caller: string;
  readonly at: number;
  readonly cutOff: () => void;
}

/**
 * At most 64 MiB for all, a quarter of them for one caller; a single event may be longer. Callers take turns, those of
 * whom nothing is unread come first.
 */
export function createUnreadEvents(): UnreadEvents {
  let total = 0;
  const accounts = new Map<string, Account>();
  const callersWaiting = new Set<string>();
  const unread = new Set<Written>();
  let timer: NodeJS.Timeout | undefined;

  const isFull = () => total + reservedBytes > maxBytes;
  const hasRoom = ({ bytes }: Account) => !isFull() && bytes + reservedBytes <= maxBytes / 4;

  const count = (caller: string, account: Account, bytes: number) => {
    total += bytes;
    account.bytes += bytes;
    if (account.bytes === 0 && account.waiting.length === 0) accounts.delete(caller);
  };

  const admit = () => {
    for (const isFirst of [true, false])
      for (const caller of callersWaiting) {
        if (isFull()) return;
        const account = accounts.get(caller) as Account;
        if (isFirst ? account.bytes > 0 : !hasRoom(account)) continue;
        account.waiting.shift()?.take();
        callersWaiting.delete(caller);
        // Behind the others, whom this loop comes to first.
        if (account.waiting.length > 0) callersWaiting.add(caller);
      }
    if (callersWaiting.size === 0) timer = void clearInterval(timer);
  };

  const cutOffStalled = () => {
    const now = performance.now();
    const isWaiting = (caller: string) => now - (accounts.get(caller)?.waiting[0]?.since ?? now) > patienceMs;
    const waiting = new Set([...callersWaiting].filter(isWaiting));
    if (waiting.size === 0) return;
    for (const { caller, at, cutOff } of unread)
      if ((isFull() && now - at > fullMs) || (waiting.has(caller) && now - at > stalledMs)) cutOff();
  };

  const take = (caller: string, account: Account, cutOff: () => void): UnreadEvent => {
    let held = reservedBytes;
    let written: Written | null = null;
    count(caller, account, held);
    return {
      written(bytes) {
        count(caller, account, bytes - held);
        held = bytes;
        written = { caller, at: performance.now(), cutOff };
        unread.add(written);
        if (callersWaiting.size > 0) admit();
      },
      release() {
        if (held === 0) return;
        if (written) unread.delete(written);
        count(caller, account, -held);
        held = 0;
        if (callersWaiting.size > 0) admit();
      },
    };
  };

  return {
    reserve(caller, cutOff) {
      const account = accounts.get(caller) ?? { bytes: 0, waiting: [] };
      accounts.set(caller, account);
      if (account.waiting.length === 0 && hasRoom(account)) return take(caller, account, cutOff);
      callersWaiting.add(caller);
      timer ??= setInterval(cutOffStalled, 1_000).unref();
      return new Promise((resolve) => {
        account.waiting.push({
          since: performance.now(),
          take: () => resolve(take(caller, account, cutOff)),
        });
      });
    },
  };
}
