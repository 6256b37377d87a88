import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { requestIdOf } from './caller.ts';
import { transportError } from './errors.ts';
import { streamPath } from './event-streams.ts';
import type { Place } from './place.ts';
import { graphqlPath } from './queries.ts';
import { overloaded, type Shedding } from './shedding.ts';
import { webhookPath } from './webhooks.ts';

/**
 * Refuses a request that needs a place and finds none, before anything is made of it. True where it has.
 *
 * By Node's own means: of five times as many requests as can be answered four are refused, and what that takes is
 * taken from the fifth.
 */
export function refuseAtOnce(
  shedding: Shedding,
  origins: readonly string[],
): (request: IncomingMessage, response: ServerResponse) => boolean {
  return (request, response) => {
    const { method, url = '', headers } = request;
    const isAsked = needsPlace(url) || (url.includes('?') && needsPlace(url.split('?', 1)[0]));
    if (method === 'OPTIONS' || !isAsked || !shedding.refuses()) return false;
    const id = requestIdOf(request);
    const { origin = '' } = headers;
    response.writeHead(503, {
      'content-type': 'application/json; charset=utf-8',
      'retry-after': '1',
      'x-request-id': id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...(origins.includes(origin) && {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': 'x-request-id, retry-after',
        vary: 'Origin',
      }),
    });
    response.end(JSON.stringify(transportError(overloaded.requests, 'OVERLOADED', id)));
    return true;
  };
}

/** What one request holds: its place, for as long as its answer is on the way or somebody works at it. */
interface Held {
  isRunning: boolean;
  isGone: boolean;
  /** Who waits with it. */
  whenGone: (() => void) | null;
  place: Place | null;
}

// Not in a weak map: what comes and goes with each request makes those dear.
const ofRequest = Symbol('of request');
type Holding = ServerResponse & { [ofRequest]?: Held };

// Requests for the graph, and notifications, which anyone can send.
const needsPlace = (url: string | undefined) =>
  url === graphqlPath || url === streamPath || url === webhookPath;

/**
 * Follows the requests that need a place to their ends. Call it before the routes are there.
 *
 * A place is taken once the body is there and the caller is known: half-sent requests take none. It is held until all
 * of the answer is sent, as it takes memory until then, and until the work is done where the caller leaves before.
 */
export function followRequests(app: FastifyInstance): void {
  const bySocket = new WeakMap<Socket, Set<Held>>();

  const leave = (held: Held) => {
    held.isGone = true;
    held.whenGone?.();
    if (!held.isRunning) held.place?.release();
  };
  // An answer that waits behind another is not told that its connection has ended.
  const heldOn = (socket: Socket): Set<Held> => {
    const before = bySocket.get(socket);
    if (before) return before;
    const all = new Set<Held>();
    bySocket.set(socket, all);
    socket.once('close', () => {
      for (const held of all) leave(held);
    });
    return all;
  };

  app.addHook('onRoute', (route) => {
    if (!needsPlace(route.url)) return;
    const { handler } = route;
    route.handler = async function (request, reply) {
      const { socket } = request.raw;
      // Nobody is there any more to be answered.
      if (socket.destroyed) return reply.hijack();
      const held: Held = { isRunning: true, isGone: false, whenGone: null, place: null };
      const all = heldOn(socket);
      all.add(held);
      (reply.raw as Holding)[ofRequest] = held;
      reply.raw.on('close', () => {
        all.delete(held);
        leave(held);
      });
      try {
        return await handler.call(this, request, reply);
      } finally {
        held.isRunning = false;
        if (held.isGone) held.place?.release();
      }
    };
  });
}

/** Has a response hold a place until it is sent. */
export function hold(response: ServerResponse, taken: Place): void {
  const held = (response as Holding)[ofRequest];
  if (held) held.place = taken;
}

/** Acts once when the answer is sent, or its client has left; `response` is one of the graph's. */
export function whenGone(response: ServerResponse, act: () => void): void {
  const held = (response as Holding)[ofRequest];
  if (!held) return;
  if (held.isGone) {
    act();
    return;
  }
  const before = held.whenGone;
  held.whenGone = () => {
    before?.();
    act();
  };
}
