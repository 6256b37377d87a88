import type { ExecutionResult } from 'graphql';
import type { WebSocket } from 'ws';
import type { UnreadEvent } from './unread.ts';

// Room for events that are about to be sent: the library makes text of them and sends it before anything else happens.
const reserved = new WeakMap<WebSocket, UnreadEvent[]>();

/** Counts the events that a socket is sent until its client has taken them. */
export function trackSends(socket: WebSocket): void {
  const send = socket.send.bind(socket) as (data: string, sent: () => void) => void;
  const waiting: UnreadEvent[] = [];
  reserved.set(socket, waiting);
  socket.send = (data: unknown, sent?: unknown) => {
    const event = waiting.shift();
    event?.written(Buffer.byteLength(data as string));
    send(data as string, () => {
      event?.release();
      // Without the failure: the library would write each to the console; that a socket closes says enough of it.
      if (typeof sent === 'function') sent();
    });
  };
}

/** Events of a subscription, each once there is room for it. The library asks for the next when the last is sent. */
export function spaced(
  events: AsyncIterableIterator<ExecutionResult>,
  socket: WebSocket,
  reserve: () => UnreadEvent | Promise<UnreadEvent>,
): AsyncIterableIterator<ExecutionResult> {
  return {
    async next() {
      const result = await events.next();
      if (result.done || socket.readyState !== socket.OPEN) return result;
      const event = await reserve();
      const waiting = reserved.get(socket);
      waiting?.push(event);
      // An event of a subscription that has ended meanwhile is not sent.
      setImmediate(() => {
        const at = waiting?.indexOf(event) ?? -1;
        if (at < 0) return;
        waiting?.splice(at, 1);
        event.release();
      });
      return result;
    },
    return: () => events.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
