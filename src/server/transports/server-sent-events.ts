import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { UnreadEvent } from '../load/unread-events.ts';

/** Intermediaries must not cache, compress or buffer events; nginx buffers whatever has no `x-accel-buffering: no`. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

// Most proxies close connections that are silent for a minute.
const pingMs = 12_000;

/**
 * Sends results in the distinct-connections mode of the GraphQL over SSE protocol, then `complete`. The next
 * result is requested when the client has received the last, so nothing queues up here.
 */
export async function sendEvents(
  response: ServerResponse,
  results: AsyncIterable<ExecutionResult>,
  reserve: () => UnreadEvent | Promise<UnreadEvent>,
): Promise<void> {
  response.write(pingComment);
  const pings = setInterval(() => {
    if (!isResponseClosed(response) && response.writableLength === 0) response.write(pingComment);
  }, pingMs);
  try {
    for await (const result of results) {
      const event = await reserve();
      try {
        if (isResponseClosed(response)) return;
        const text = `event: next\ndata: ${JSON.stringify(result)}\n\n`;
        event.setSize(Buffer.byteLength(text));
        await writeUntilSent(response, text);
      } finally {
        event.release();
      }
    }
    if (!isResponseClosed(response)) response.end('event: complete\ndata:\n\n');
  } finally {
    clearInterval(pings);
  }
}

const isResponseClosed = ({ writableEnded, destroyed }: ServerResponse) => writableEnded || destroyed;

// Some browsers report the stream as open only after the first byte.
const pingComment = ':\n\n';

/** Resolves when the operating system has accepted the text, or the connection has closed. */
function writeUntilSent(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(text, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}
