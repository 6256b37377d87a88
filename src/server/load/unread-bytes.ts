import type { FastifyReply } from 'fastify';
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
import { type OnRejected, type Rejection, RejectionError, toRejection } from '../rejection.ts';
import { onResponseClosed } from './request-slots.ts';

/** Counts bytes in transit: of responses that clients have not fully received, or of request bodies that are arriving. */
export interface ByteAccounts {
  /** Opens an account for one response or request of a caller. */
  openAccount(caller: Pick<Caller, 'key'>): ByteAccount;
  pendingBytes(): number;
}

export interface ByteAccount extends ByteBudget {
  /** Adds bytes without regard to limits; a negative number subtracts. */
  add(bytes: number): void;
}

export interface ByteLimits {
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
      const add = (bytes: number) => {
        total += bytes;
        callers.get(key).pending += bytes;
        reserved += bytes;
      };
      return {
        add,
        reserve(bytes) {
          if (total + bytes > maxBytes || callers.get(key).pending + bytes > maxBytesPerCaller) return false;
          add(bytes);
          return true;
        },
        waitForTurn: () => waitForTurn(key),
        release(kept = 0) {
          if (reserved > kept) add(kept - reserved);
        },
      };
    },
    pendingBytes: () => total,
  };
}

/**
 * Checks whether a response may be sent; returns a rejection if not. A response counts until its client has received
 * it. Call `release(kept)` with its length after compression.
 */
export type LimitResponse = (
  request: GraphqlRequest,
  reply: FastifyReply,
  body: string | Buffer,
) => Rejection | Pick<ByteBudget, 'release'>;

const uncounted: Pick<ByteBudget, 'release'> = { release() {} };

export interface ResponseLimitOptions {
  readonly responseBytes: ByteAccounts;
  readonly onRejected: OnRejected;
}

export function createResponseLimit({ responseBytes, onRejected }: ResponseLimitOptions): LimitResponse {
  return (request, reply, body) => {
    // Small responses are not counted: the number of slots limits them.
    if (body.length <= reservationBytes) return uncounted;
    const { maxBytes } = request.responseLimits;
    const bytes = Buffer.byteLength(body);
    const isTooLong = bytes > maxBytes;
    const account = responseBytes.openAccount(request.caller);
    if (!isTooLong && account.reserve(bytes)) {
      onResponseClosed(reply.raw, () => account.release());
      return account;
    }
    // A mutation has taken effect, so its response must be sent.
    if (request.operation.operation === 'mutation') return uncounted;
    const error = isTooLong
      ? new RejectionError('QUERY_TOO_COMPLEX', responseTooLongMessage(maxBytes))
      : new RejectionError('OVERLOADED', responseBacklogMessage);
    const rejection = toRejection(error, request.caller.requestId);
    onRejected(error.code, request.caller.requestId, rejection.errors[0]?.message);
    return rejection;
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
   * Resolves when an event may be serialized for a caller. `disconnect` is called if the client does not read while others
   * wait.
   */
  reserve(caller: string, disconnect: () => void): UnreadEvent | Promise<UnreadEvent>;
}

const maxUnreadBytesInProcess = 64 * 1024 * 1024;
// Reserved for an event until its size is known.
const reservedBytes = 4 * 1024 * 1024;
// A client whose event is unread for this long is disconnected, if another event has waited for a second.
const maxUnreadMs = 5_000;
const minWaitBeforeDisconnectMs = 1_000;

interface WaitingEvent {
  readonly since: number;
  readonly disconnect: () => void;
  resolve(event: UnreadEvent): void;
}

interface SentEvent {
  readonly caller: string;
  readonly at: number;
  readonly disconnect: () => void;
}

/** Limits unread events to 64 MiB in total and a quarter of it per caller. Others wait; callers take turns. */
export function createUnreadEventLimiter(): UnreadEventLimiter {
  const accounts = createByteAccounts({
    maxBytes: maxUnreadBytesInProcess,
    maxBytesPerCaller: maxUnreadBytesInProcess / 4,
  });
  // By caller, oldest first. The caller whose turn is next comes first.
  const waiting = new Map<string, Set<WaitingEvent>>();
  const unread = new Set<SentEvent>();
  let timer: NodeJS.Timeout | undefined;

  const isFull = () => accounts.pendingBytes() + reservedBytes > maxUnreadBytesInProcess;

  const open = (caller: string, disconnect: () => void): UnreadEvent | null => {
    const account = accounts.openAccount({ key: caller });
    if (!account.reserve(reservedBytes)) return null;
    let sent: SentEvent | null = null;
    return {
      setSize(bytes) {
        account.add(bytes - reservedBytes);
        sent = { caller, at: performance.now(), disconnect };
        unread.add(sent);
        admitWaiting();
      },
      release() {
        if (sent) unread.delete(sent);
        account.release();
        admitWaiting();
      },
    };
  };

  const admitWaiting = () => {
    for (const [caller, events] of waiting) {
      if (isFull()) return;
      const [oldest] = events;
      const event = oldest && open(caller, oldest.disconnect);
      if (!event) continue;
      waiting.delete(caller);
      events.delete(oldest);
      if (events.size > 0) waiting.set(caller, events);
      oldest.resolve(event);
    }
    if (waiting.size === 0) timer = void clearInterval(timer);
  };

  const disconnectStalledClients = () => {
    const now = performance.now();
    const callers = new Set<string>();
    for (const [caller, [oldest]] of waiting)
      if (oldest && now - oldest.since > minWaitBeforeDisconnectMs) callers.add(caller);
    for (const { caller, at, disconnect } of unread)
      if (now - at > maxUnreadMs && (callers.has(caller) || (callers.size > 0 && isFull()))) disconnect();
  };

  return {
    reserve(caller, disconnect) {
      const event = waiting.has(caller) ? null : open(caller, disconnect);
      if (event) return event;
      const queue = waiting.get(caller) ?? new Set();
      waiting.set(caller, queue);
      timer ??= setInterval(disconnectStalledClients, 1_000).unref();
      return new Promise((resolve) => {
        queue.add({ since: performance.now(), disconnect, resolve });
      });
    },
  };
}
