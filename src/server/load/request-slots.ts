import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { readRequestId } from '../caller.ts';
import { filesRoute, graphqlPath, streamPath, webhookPath } from '../paths.ts';
import { commonHeaders, transportError } from '../rejection.ts';
import type { LoadShedder, RequestSlot } from './shedding.ts';
import { overloadMessages } from './shedding.ts';

/**
 * Returns a handler that rejects a request at its headers when no slot is free. It returns true if it has
 * responded.
 *
 * Uses Node's API instead of Fastify's: under five-fold load, four of five requests are rejected, and their
 * cost is taken from the fifth.
 */
export function createEarlyRejection(
  shedding: LoadShedder,
  origins: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { method, url = '', headers } = request;
    const isLimited = needsSlot(url) || (url.includes('?') && needsSlot(url.split('?', 1)[0]));
    if (method === 'OPTIONS' || !isLimited || !shedding.rejectsAny()) return false;
    const id = readRequestId(request);
    const { origin = '' } = headers;
    response.writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'retry-after': '1',
      ...commonHeaders(id),
      ...(origins.includes(origin) && {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'x-request-id, retry-after',
        vary: 'Origin',
      }),
    });
    response.end(JSON.stringify(transportError(overloadMessages.requests, 'OVERLOADED', id)));
    return true;
  };
}

/** A request's slot, held until its response is closed and its handler has finished. */
interface RequestSlotHolder {
  isRunning: boolean;
  isClosed: boolean;
  /** Called when the response is closed. */
  onClosed: (() => void) | null;
  slot: RequestSlot | null;
}

// A symbol property: `WeakMap` entries that change with every request are expensive.
const slotHolder = Symbol('request slot');
type ResponseWithSlot = ServerResponse & { [slotHolder]?: RequestSlotHolder };

// The GraphQL routes, files, and webhooks, which anyone can call.
const needsSlot = (url: string | undefined) =>
  url === graphqlPath || url === streamPath || url === webhookPath || url === filesRoute;

/**
 * Releases each request's slot when it ends. Call before routes are registered.
 *
 * A slot is taken when the body has arrived and the caller is known, so half-sent requests hold none. It is
 * held until the response is sent, since the response uses memory, and until the handler has finished if the
 * client disconnects earlier.
 */
export function trackRequestSlots(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!needsSlot(route.url)) return;
    const { handler } = route;
    route.handler = async function (request, reply) {
      const { socket } = request.raw;
      // The client has disconnected.
      if (socket.destroyed) return reply.hijack();
      const holder: RequestSlotHolder = { isRunning: true, isClosed: false, onClosed: null, slot: null };
      (reply.raw as ResponseWithSlot)[slotHolder] = holder;
      reply.raw.on('close', () => {
        holder.isClosed = true;
        holder.onClosed?.();
        if (!holder.isRunning) holder.slot?.release();
      });
      try {
        return await handler.call(this, request, reply);
      } finally {
        holder.isRunning = false;
        if (holder.isClosed) holder.slot?.release();
      }
    };
  });
}

/** Holds a slot until the response is closed. */
export function holdSlot(response: ServerResponse, slot: RequestSlot): void {
  const holder = (response as ResponseWithSlot)[slotHolder];
  if (holder) holder.slot = slot;
}

/** Releases the slot before the response is sent. */
export function releaseSlot(response: ServerResponse): void {
  (response as ResponseWithSlot)[slotHolder]?.slot?.release();
}

/**
 * Calls `act` once when the response is sent or its client disconnects. Works only on routes that need a
 * slot.
 */
export function onResponseClosed(response: ServerResponse, act: () => void): void {
  const holder = (response as ResponseWithSlot)[slotHolder];
  if (!holder) return;
  if (holder.isClosed) {
    act();
    return;
  }
  const earlier = holder.onClosed;
  holder.onClosed = () => {
    earlier?.();
    act();
  };
}
