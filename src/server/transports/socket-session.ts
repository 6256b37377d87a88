import { type ExecutionResult, GraphQLError } from 'graphql';
import type { WebSocket } from 'ws';
import { onFinish, scheduleAt } from '../../runtime/stream-lifecycle.ts';
import type { Caller } from '../caller.ts';

/** WebSocket close codes: 4401 of graphql-transport-ws, 1013 (try again later) of the IANA registry. */
export const closeCodes = { unauthorized: 4401, tooMany: 1013 };
export const closeTimeoutMs = 1_000;

// Above this many unsent bytes, a client that does not read is disconnected.
const maxUnreadBytes = 1024 * 1024;

type Events = AsyncIterableIterator<ExecutionResult>;

/** A WebSocket whose caller is identified, and its subscriptions: starting or running. */
export class SocketSession {
  readonly caller: Caller;
  readonly #socket: WebSocket;
  readonly #maxSubscriptions: number;
  readonly #subscriptions = new Set<{ unsubscribe(): void }>();

  constructor(socket: WebSocket, caller: Caller, maxSubscriptions: number) {
    this.caller = caller;
    this.#socket = socket;
    this.#maxSubscriptions = maxSubscriptions;
    closeWhenTokenExpires(socket, caller);
    onSocketClosed(socket, () => {
      for (const { unsubscribe } of this.#subscriptions) unsubscribe();
    });
  }

  /** The error for another subscription, if it may not start. */
  rejection(requestId: string): GraphQLError | null {
    if (this.#subscriptions.size < this.#maxSubscriptions) return null;
    return tooManySubscriptions(this.#maxSubscriptions, requestId);
  }

  /** Starts a subscription. `limit` is applied to its events. */
  async start(
    subscribe: () => Promise<Events | ExecutionResult>,
    limit: (events: Events) => Events,
  ): Promise<Events | ExecutionResult> {
    // Tracked here, because graphql-ws loses a subscription whose id is reused too early.
    const subscription = { unsubscribe() {} };
    this.#subscriptions.add(subscription);
    const remove = () => void this.#subscriptions.delete(subscription);
    const events = await subscribe().catch((error: unknown) => {
      remove();
      throw error;
    });
    if (!('next' in events)) {
      remove();
      return events;
    }
    subscription.unsubscribe = () => void events.return?.();
    if (this.#socket.readyState !== this.#socket.OPEN) subscription.unsubscribe();
    return onFinish(limit(events), remove, () => terminateIfUnread(this.#socket));
  }
}

export const tooManySubscriptions = (maxSubscriptions: number, requestId: string) =>
  new GraphQLError(`A WebSocket may have ${maxSubscriptions} subscriptions. End some, or open another.`, {
    extensions: { code: 'OVERLOADED', requestId },
  });

/** Disconnects a client that does not read. */
export function terminateIfUnread(socket: WebSocket): void {
  if (socket.bufferedAmount > maxUnreadBytes) socket.terminate();
}

export function onSocketClosed(socket: WebSocket, act: () => void): void {
  if (socket.readyState === socket.OPEN) socket.once('close', act);
  else act();
}

function closeWhenTokenExpires(socket: WebSocket, { verified }: Caller): void {
  if (!verified) return;
  const cancel = scheduleAt(verified.expiresAt, () => {
    socket.close(closeCodes.unauthorized, 'The token has expired');
    // For clients that do not complete the closing handshake.
    setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
  });
  onSocketClosed(socket, cancel);
}
