import type { FastifyInstance } from 'fastify';

/** Where the upstream sends notifications, below the layer's own address. */
export const webhookPath = '/webhooks/records';

/** Takes a notification; null stands for one that is too long. False where it is none. */
export type ReceiveNotification = (text: string | null) => boolean;

const maxBytes = 256 * 1024;
// Longer than any honest notification: what comes after it is not even taken from the wire.
const maxDrainedBytes = 16 * 1024 * 1024;
const printable = /^[\x20-\x7e]{1,1024}$/;

/** Answers the handshakes of an upstream, and takes its notifications. */
export function serveWebhooks(app: FastifyInstance, receive: ReceiveNotification): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.route<{ Querystring: Readonly<Record<string, unknown>>; Body: AsyncIterable<Buffer> | undefined }>({
      method: ['GET', 'POST'],
      url: webhookPath,
      async handler({ method, query, body }, reply) {
        const { validationToken } = query;
        reply.header('cache-control', 'no-store');
        if (validationToken !== undefined) {
          const isFit = typeof validationToken === 'string' && printable.test(validationToken);
          return isFit
            ? reply.type('text/plain; charset=utf-8').send(validationToken)
            : reply.code(400).send();
        }
        if (method === 'GET') return reply.code(404).send();
        const isTaken = receive(await readBody(body).catch(() => ''));
        return reply.code(isTaken ? 202 : 400).send();
      },
    });
  });
}

/** Null where it is longer than is read. */
async function readBody(body: AsyncIterable<Buffer> | undefined): Promise<string | null> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    if (length > maxDrainedBytes) break;
  }
  return length > maxBytes ? null : Buffer.concat(pieces).toString('utf8');
}
