import type { FastifyInstance } from 'fastify';
import { hold } from './admission.ts';
import { transportError } from './errors.ts';
import { overloaded, type Shedding } from './shedding.ts';

/** Where the upstream sends notifications, below the layer's own address. */
export const webhookPath = '/webhooks/records';

/** Takes a notification; null stands for one that is too long. False where it is none. */
export type ReceiveNotification = (text: string | null) => boolean;

const maxBytes = 256 * 1024;
// Longer than any honest notification: what comes after it is not even taken from the wire.
const maxDrainedBytes = 16 * 1024 * 1024;
const printable = /^[\x20-\x7e]{1,1024}$/;

interface Route {
  readonly Querystring: Readonly<Record<string, unknown>>;
  readonly Body: { readonly text: string | null } | undefined;
}

/** Answers the handshakes of an upstream, and takes its notifications. They share places by the address of their peer. */
export function serveWebhooks(app: FastifyInstance, receive: ReceiveNotification, shedding: Shedding): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Read before the route takes a place (admission.ts): a half-sent notification holds none.
    scope.addContentTypeParser('*', async (_request: unknown, payload: AsyncIterable<Buffer>) => ({
      text: await readBody(payload).catch(() => ''),
    }));
    scope.route<Route>({
      method: ['GET', 'POST'],
      url: webhookPath,
      async handler({ id, method, query, body, raw }, reply) {
        const place = shedding.open({ verified: null, peerAddress: raw.socket.remoteAddress ?? '' });
        if (typeof place === 'string')
          return reply
            .code(503)
            .header('retry-after', '1')
            .send(transportError(overloaded[place], 'OVERLOADED', id));
        hold(reply.raw, place);
        const { validationToken } = query;
        reply.header('cache-control', 'no-store');
        if (validationToken !== undefined) {
          const isFit = typeof validationToken === 'string' && printable.test(validationToken);
          return isFit
            ? reply.type('text/plain; charset=utf-8').send(validationToken)
            : reply.code(400).send();
        }
        if (method === 'GET') return reply.code(404).send();
        const isTaken = receive(body ? body.text : '');
        return reply.code(isTaken ? 202 : 400).send();
      },
    });
  });
}

/** Null where it is longer than is read. */
async function readBody(body: AsyncIterable<Buffer>): Promise<string | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    if (length > maxDrainedBytes) break;
  }
  return length > maxBytes ? null : Buffer.concat(pieces).toString('utf8');
}
