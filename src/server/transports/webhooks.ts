import type { FastifyInstance } from 'fastify';
import { keyOfPeer } from '../caller-tokens.ts';
import { holdSlot } from '../load/request-slots.ts';
import { type LoadShedder, overloadMessages } from '../load/shedding.ts';
import { webhookPath } from '../paths.ts';
import { transportError } from '../rejection.ts';

/** Handles the body of a notification request. Returns false if it is invalid. */
export type ReceiveNotification = (text: string) => boolean;

// A notification contains up to 1,000 changes.
const maxNotificationBytes = 1024 * 1024;
// A longer body is drained up to this length, then the connection is closed.
const maxDrainedBytes = 16 * 1024 * 1024;
const printableText = /^[\x20-\x7e]{1,1024}$/;

interface WebhookRoute {
  readonly Querystring: Readonly<Record<string, unknown>>;
  readonly Body: { readonly text: string | null } | undefined;
}

/** Answers an upstream's validation handshakes and receives its notifications. Slots are counted by peer address. */
export function serveWebhooks(
  app: FastifyInstance,
  receiveNotification: ReceiveNotification,
  shedding: LoadShedder,
): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Parsed before the route takes a slot, so that incomplete notifications hold none.
    scope.addContentTypeParser('*', async (_request: unknown, payload: AsyncIterable<Buffer>) => ({
      text: await readNotification(payload).catch(() => ''),
    }));
    scope.route<WebhookRoute>({
      method: ['GET', 'POST'],
      url: webhookPath,
      async handler({ id, method, query, body, raw }, reply) {
        const slot = shedding.acquire(keyOfPeer(raw.socket.remoteAddress ?? ''), null);
        if (typeof slot === 'string')
          return reply
            .code(503)
            .header('retry-after', '1')
            .send(transportError(overloadMessages[slot], 'OVERLOADED', id));
        holdSlot(reply.raw, slot);
        const { validationToken } = query;
        reply.header('cache-control', 'no-store');
        if (validationToken !== undefined) {
          const isPrintable = typeof validationToken === 'string' && printableText.test(validationToken);
          return isPrintable
            ? reply.type('text/plain; charset=utf-8').send(validationToken)
            : reply.code(400).send();
        }
        if (method === 'GET') return reply.code(404).send();
        const text = body ? body.text : '';
        // After a body that is too long, the next regular poll finds the changes.
        return reply.code(text === null || receiveNotification(text) ? 202 : 400).send();
      },
    });
  });
}

/** Returns null if the body is too long. */
async function readNotification(body: AsyncIterable<Buffer>): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length <= maxNotificationBytes) chunks.push(chunk);
    if (length > maxDrainedBytes) break;
  }
  return length > maxNotificationBytes ? null : Buffer.concat(chunks).toString('utf8');
}
