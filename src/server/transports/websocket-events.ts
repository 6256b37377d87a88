import type { ExecutionResult } from 'graphql';
import type { WebSocket } from 'ws';
import { createAsyncIterator } from '../../runtime/async-iterators.ts';
import type { UnreadEvent } from '../load/unread-events.ts';

// Reservations of events about to be sent. graphql-ws serializes and sends an event before anything else on
// its socket.
const reservedEvents = new WeakMap<WebSocket, UnreadEvent[]>();

/** Counts the events sent on a socket until the client has received them. */
export function trackSends(socket: WebSocket): void {
  const send = socket.send.bind(socket) as (data: string, sent: () => void) => void;
  const waiting: UnreadEvent[] = [];
  reservedEvents.set(socket, waiting);
  socket.send = (data: unknown, sent?: unknown) => {
    const event = waiting.shift();
    event?.setSize(Buffer.byteLength(data as string));
    send(data as string, () => {
      event?.release();
      // Without the error, which graphql-ws would print to the console. The socket's `close` event is enough.
      if (typeof sent === 'function') sent();
    });
  };
}

/** Delays each event until there is room for it. graphql-ws requests the next one when the last is sent. */
export function reserveBeforeSend(
  events: AsyncIterableIterator<ExecutionResult>,
  socket: WebSocket,
  reserve: () => UnreadEvent | Promise<UnreadEvent>,
): AsyncIterableIterator<ExecutionResult> {
  return createAsyncIterator(
    async () => {
      const result = await events.next();
      if (result.done || socket.readyState !== socket.OPEN) return result;
      const event = await reserve();
      const waiting = reservedEvents.get(socket);
      waiting?.push(event);
      // Releases the reservation if the event is not sent, because its subscription has ended.
      setImmediate(() => {
        const at = waiting?.indexOf(event) ?? -1;
        if (at < 0) return;
        waiting?.splice(at, 1);
        event.release();
      });
      return result;
    },
    () => events.return?.(),
  );
}
