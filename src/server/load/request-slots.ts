import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { filesRoute, graphqlPath, streamPath, webhookPath } from '../paths.ts';
import type { RequestSlot } from './shedding.ts';

// Symbol properties, since adding a `WeakMap` entry per request is expensive.
const heldSlot = Symbol('request slot');
const closeListeners = Symbol('close listeners');
type TrackedResponse = ServerResponse & { [heldSlot]?: RequestSlot; [closeListeners]?: (() => void)[] };

const needsSlot = (url: string) =>
  url === graphqlPath || url === streamPath || url === webhookPath || url === filesRoute;

/**
 * Releases each request's slot when it ends. Call before routes are registered.
 *
 * A slot is taken when the body has arrived and the caller is known, so incomplete requests hold none. It is held until the
 * response is sent, since the response uses memory, and until the handler has finished if the client disconnects earlier.
 */
export function trackRequestSlots(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!needsSlot(route.url)) return;
    const { handler } = route;
    route.handler = async function (request, reply) {
      // The client has disconnected.
      if (request.raw.socket.destroyed) return reply.hijack();
      try {
        return await handler.call(this, request, reply);
      } finally {
        onResponseClosed(reply.raw, () => releaseSlot(reply.raw));
      }
    };
  });
}

/** Holds a slot until the response is closed and its handler has finished. */
export function holdSlot(response: ServerResponse, slot: RequestSlot): void {
  (response as TrackedResponse)[heldSlot] = slot;
}

export function releaseSlot(response: ServerResponse): void {
  (response as TrackedResponse)[heldSlot]?.release();
}

/** Calls `act` once when the response is sent or its client disconnects. Adds one listener only: Node.js warns of many. */
export function onResponseClosed(response: ServerResponse, act: () => void): void {
  const tracked: TrackedResponse = response;
  if (response.closed) act();
  else if (tracked[closeListeners]) tracked[closeListeners].push(act);
  else {
    const listeners = [act];
    tracked[closeListeners] = listeners;
    response.on('close', () => {
      for (const listener of listeners) listener();
    });
  }
}
