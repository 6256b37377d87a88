import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The requests of one connection. */
interface Turns {
  /** The response that is under way. */
  current: ServerResponse | null;
  /** Requests that came meanwhile. They hold no slot. */
  readonly waiting: (() => void)[];
  /** Whether the current response has no foreseeable end. */
  isStream: boolean;
  /** Whether the connection ends with the current response. */
  isLast: boolean;
}

// No HTTP client in wide use sends so many before it has a response; a proxy sends them again.
const maxWaiting = 16;

// A symbol property: `WeakMap` entries that change with every request are expensive.
const turnsKey = Symbol('turns');
type SocketWithTurns = Socket & { [turnsKey]?: Turns };

const turnsOf = (socket: Socket): Turns | undefined => (socket as SocketWithTurns)[turnsKey];

/**
 * Handles one request at a time on a connection: responses are sent in the order of the requests (RFC 9112 §9.3.2), so
 * what a later one holds would be held until the earlier ones are sent. Behind a stream, or above 16, it ends the
 * connection.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const turns = turnsOf(socket) ?? { current: null, waiting: [], isStream: false, isLast: false };
    (socket as SocketWithTurns)[turnsKey] = turns;
    const start = () => {
      turns.current = response;
      turns.isStream = false;
      response.once('close', () => {
        turns.current = null;
        if (turns.isLast) socket.destroy();
        // After a response with `connection: close`, no further request is handled.
        if (socket.writable) turns.waiting.shift()?.();
      });
      handle(request, response);
    };
    if (turns.current === null) start();
    else if (turns.isStream || turns.waiting.length === maxWaiting) socket.destroy();
    else turns.waiting.push(start);
  };
}

/** Call before a stream starts. Returns false where requests wait behind it, and ends their connection. */
export function startStream({ req }: ServerResponse): boolean {
  const turns = turnsOf(req.socket);
  if (turns) turns.isStream = true;
  if (!turns || turns.waiting.length === 0) return true;
  req.socket.destroy();
  return false;
}

/**
 * Call for what is no valid request, and cannot be answered where a client would take the answer for that to its earlier
 * request. Ends the connection once that one is answered, and returns true; returns false if there is none.
 */
export function endAfterResponse(socket: Socket): boolean {
  const turns = turnsOf(socket);
  if (!turns?.current?.req.complete) return false;
  turns.isLast = true;
  if (turns.isStream) socket.destroy();
  return true;
}
