import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestIdOf } from './caller.ts';
import { transportError } from './errors.ts';
import { streamPath } from './event-streams.ts';
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
    response.end(JSON.stringify(transportError(overloaded, 'OVERLOADED', id)));
    return true;
  };
}

/** What one request holds: a place, for as long as its answer is on the way or somebody works at it. */
interface Held {
  isRunning: boolean;
  isGone: boolean;
  /** Who waits with it. */
  whenGone: (() => void) | null;
  readonly release: () => void;
}

// Not in a weak map: what comes and goes with each request makes those dear.
const place = Symbol('place');
type Holding = ServerResponse & { [place]?: Held };

// Requests for the graph, and notifications, which anyone can send.
const needsPlace = (url: string | undefined) =>
  url === graphqlPath || url === streamPath || url === webhookPath;

/**
 * Lets in as many requests that need a place as there are places for. Call it before the routes are there. Returns how
 * to give the place of an answer back before its end.
 *
 * A place is taken once the body is there: half-sent requests take none. It is held until all of the answer is sent,
 * as it takes memory until then, and until the work is done where the caller leaves before.
 */
export function admitRequests(app: FastifyInstance, shedding: Shedding): (response: ServerResponse) => void {
  const bySocket = new WeakMap<Socket, Set<Held>>();

  const leave = (held: Held) => {
    held.isGone = true;
    held.whenGone?.();
    if (!held.isRunning) held.release();
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
      const release = shedding.open();
      if (!release) return refuse(request, reply);
      const held: Held = { isRunning: true, isGone: false, whenGone: null, release };
      const all = heldOn(socket);
      all.add(held);
      (reply.raw as Holding)[place] = held;
      reply.raw.on('close', () => {
        all.delete(held);
        leave(held);
      });
      try {
        return await handler.call(this, request, reply);
      } finally {
        held.isRunning = false;
        if (held.isGone) held.release();
      }
    };
  });
  return (response) => (response as Holding)[place]?.release();
}

/** Acts once when the answer is sent, or its client has left; `response` is one that has a place. */
export function whenGone(response: ServerResponse, act: () => void): void {
  const held = (response as Holding)[place];
  if (!held) return;
  if (held.isGone) act();
  else held.whenGone = act;
}

function refuse({ id }: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .header('retry-after', '1')
    .send(transportError(overloaded, 'OVERLOADED', id));
}
