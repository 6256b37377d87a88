import type { FastifyReply } from 'fastify';
import type { ErrorCode } from '../../errors.ts';
import {
  type ByteBudget,
  reservationBytes,
  responseBacklogMessage,
  responseTooLongMessage,
} from '../../graph/response-meter.ts';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import type { Caller } from '../caller.ts';
import type { GraphqlRequest } from '../guard/guard.ts';
import { type Rejection, RejectionError, toRejection } from '../rejection.ts';
import { onResponseClosed } from './request-slots.ts';

/** Counts bytes under way: of responses that clients have not fully received, or of request bodies that are arriving. */
export interface ByteAccounts {
  /** Opens an account for one response or request of a caller. */
  openAccount(caller: Pick<Caller, 'key'>): ByteBudget;
  /** Returns the number of bytes counted now. */
  pendingBytes(): number;
}

export interface ByteLimits {
  /** Limits for the process and for each caller. */
  readonly maxBytes: number;
  readonly maxBytesPerCaller: number;
}

const maxResponseBytesInProcess = 128 * 1024 * 1024;
export const responseBytesLimits: ByteLimits = {
  maxBytes: maxResponseBytesInProcess,
  maxBytesPerCaller: maxResponseBytesInProcess / 4,
};

export function createByteAccounts({ maxBytes, maxBytesPerCaller }: ByteLimits): ByteAccounts {
  const callers = createEntriesByKey(
    () => ({ pending: 0 }),
    ({ pending }) => pending === 0,
  );
  let total = 0;

  return {
    openAccount({ key }) {
      let reserved = 0;
      return {
        reserve(bytes) {
          const caller = callers.get(key);
          if (total + bytes > maxBytes || caller.pending + bytes > maxBytesPerCaller) return false;
          total += bytes;
          caller.pending += bytes;
          reserved += bytes;
          return true;
        },
        waitForTurn: () => waitForTurn(key),
        release(kept = 0) {
          if (reserved <= kept) return;
          total += kept - reserved;
          callers.get(key).pending += kept - reserved;
          reserved = kept;
        },
      };
    },
    pendingBytes: () => total,
  };
}

/**
 * Checks whether a response may be sent; returns a rejection if not. A response counts until its client has
 * received it. Once it is compressed, `release(kept)` says how many bytes it still has.
 */
export type LimitResponse = (
  request: GraphqlRequest,
  reply: FastifyReply,
  body: string | Buffer,
) => Rejection | Pick<ByteBudget, 'release'>;

const uncounted: Pick<ByteBudget, 'release'> = { release() {} };

export interface ResponseLimitOptions {
  readonly responseBytes: ByteAccounts;
  /** Called for every response that is not sent. */
  readonly onRejected: (code: ErrorCode, requestId: string) => void;
}

export function createResponseLimit({ responseBytes, onRejected }: ResponseLimitOptions): LimitResponse {
  const count = (
    request: GraphqlRequest,
    reply: FastifyReply,
    bytes: number,
  ): RejectionError | Pick<ByteBudget, 'release'> => {
    const { maxBytes } = request.responseLimits;
    if (bytes > maxBytes) return new RejectionError('QUERY_TOO_COMPLEX', responseTooLongMessage(maxBytes));
    const account = responseBytes.openAccount(request.caller);
    if (!account.reserve(bytes)) return new RejectionError('OVERLOADED', responseBacklogMessage);
    onResponseClosed(reply.raw, () => account.release());
    return account;
  };

  return (request, reply, body) => {
    // Small responses are not counted: the number of slots limits them.
    if (body.length <= reservationBytes) return uncounted;
    const counted = count(request, reply, Buffer.byteLength(body));
    if (!(counted instanceof RejectionError)) return counted;
    // A mutation has taken effect, so its response must be sent.
    if (request.operation.operation === 'mutation') return uncounted;
    onRejected(counted.code, request.caller.requestId);
    return toRejection(counted, request.caller.requestId);
  };
}

/** Memory held by one subscription event, until the client has received it. */
export interface UnreadEvent {
  /** Replaces the reservation by the event's real size. */
  setSize(bytes: number): void;
  /** Call when the client has received the event, or it will not be sent. */
  release(): void;
}

/** Limits the memory of unread events over all WebSockets and event streams. */
export interface UnreadEventLimiter {
  /**
   * Resolves when an event may be serialized for a caller. `cutOff` closes the connection; it is called if
   * the client does not read while others wait.
   */
  reserve(caller: string, cutOff: () => void): UnreadEvent | Promise<UnreadEvent>;
}

const maxUnreadBytesInProcess = 64 * 1024 * 1024;
// Reserved for an event until its size is known.
const reservedBytes = 4 * 1024 * 1024;
// How long an event may stay unread while its caller waits for room, while the total is full, and after how
// long a waiting caller counts. Clients that read take events faster than that.
const maxUnreadMsOfWaitingCaller = 5_000;
const maxUnreadMsWhenFull = 2_000;
const minWaitBeforeCutOffMs = 1_000;

interface UnreadAccount {
  bytes: number;
  readonly waiting: { readonly since: number; take(): void }[];
}

interface SentEvent {
  readonly caller: string;
  readonly at: number;
  readonly cutOff: () => void;
}

/**
 * Limits unread events to 64 MiB in total and a quarter of it per caller; a single event may be larger.
 * Callers take turns, starting with those that have nothing unread.
 */
export function createUnreadEventLimiter(): UnreadEventLimiter {
  let totalBytes = 0;
  const accountsByCaller = new Map<string, UnreadAccount>();
  const callersWaiting = new Set<string>();
  const unread = new Set<SentEvent>();
  let timer: NodeJS.Timeout | undefined;

  const isFull = () => totalBytes + reservedBytes > maxUnreadBytesInProcess;
  const hasRoom = ({ bytes }: UnreadAccount) =>
    !isFull() && bytes + reservedBytes <= maxUnreadBytesInProcess / 4;

  const addBytes = (caller: string, account: UnreadAccount, bytes: number) => {
    totalBytes += bytes;
    account.bytes += bytes;
    if (account.bytes === 0 && account.waiting.length === 0) accountsByCaller.delete(caller);
  };

  const admitWaiting = () => {
    for (const hasNothingUnread of [true, false])
      for (const caller of callersWaiting) {
        if (isFull()) return;
        const account = accountsByCaller.get(caller) as UnreadAccount;
        if (hasNothingUnread ? account.bytes > 0 : !hasRoom(account)) continue;
        account.waiting.shift()?.take();
        callersWaiting.delete(caller);
        // Moves the caller to the end of the set, which this loop reaches last.
        if (account.waiting.length > 0) callersWaiting.add(caller);
      }
    if (callersWaiting.size === 0) timer = void clearInterval(timer);
  };

  const cutOffStalledClients = () => {
    const now = performance.now();
    const isWaiting = (caller: string) =>
      now - (accountsByCaller.get(caller)?.waiting[0]?.since ?? now) > minWaitBeforeCutOffMs;
    const waitingCallers = new Set([...callersWaiting].filter(isWaiting));
    if (waitingCallers.size === 0) return;
    for (const { caller, at, cutOff } of unread)
      if (
        (isFull() && now - at > maxUnreadMsWhenFull) ||
        (waitingCallers.has(caller) && now - at > maxUnreadMsOfWaitingCaller)
      )
        cutOff();
  };

  const open = (caller: string, account: UnreadAccount, cutOff: () => void): UnreadEvent => {
    let size = reservedBytes;
    let sent: SentEvent | null = null;
    addBytes(caller, account, size);
    return {
      setSize(bytes) {
        addBytes(caller, account, bytes - size);
        size = bytes;
        sent = { caller, at: performance.now(), cutOff };
        unread.add(sent);
        if (callersWaiting.size > 0) admitWaiting();
      },
      release() {
        if (size === 0) return;
        if (sent) unread.delete(sent);
        addBytes(caller, account, -size);
        size = 0;
        if (callersWaiting.size > 0) admitWaiting();
      },
    };
  };

  return {
    reserve(caller, cutOff) {
      const account = accountsByCaller.get(caller) ?? { bytes: 0, waiting: [] };
      accountsByCaller.set(caller, account);
      if (account.waiting.length === 0 && hasRoom(account)) return open(caller, account, cutOff);
      callersWaiting.add(caller);
      timer ??= setInterval(cutOffStalledClients, 1_000).unref();
      return new Promise((resolve) => {
        account.waiting.push({
          since: performance.now(),
          take: () => resolve(open(caller, account, cutOff)),
        });
      });
    },
  };
}
