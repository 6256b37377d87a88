import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { UnreadEvent } from './unread.ts';

// Proxies end connections on which nothing is sent, most of them after a minute.
const pingMs = 12_000;

/**
 * Sends results as server-sent events, in the words of GraphQL over SSE (distinct connections), and ends the response
 * with `complete`. The next result is asked for once the client has taken the last: of what happens meanwhile the
 * source keeps what it keeps, and nothing waits here.
 */
export async function sendEvents(
  response: ServerResponse,
  results: AsyncIterable<ExecutionResult>,
  reserve: () => UnreadEvent | Promise<UnreadEvent>,
): Promise<void> {
  response.write(comment);
  const pings = setInterval(() => {
    if (!isOver(response) && response.writableLength === 0) response.write(comment);
  }, pingMs);
  try {
    for await (const result of results) {
      const event = await reserve();
      try {
        if (isOver(response)) return;
        const text = `event: next\ndata: ${JSON.stringify(result)}\n\n`;
        event.written(Buffer.byteLength(text));
        await written(response, text);
      } finally {
        event.release();
      }
    }
    if (!isOver(response)) response.end('event: complete\ndata:\n\n');
  } finally {
    clearInterval(pings);
  }
}

const isOver = ({ writableEnded, destroyed }: ServerResponse) => writableEnded || destroyed;

// Some browsers want a first byte before they call a stream open.
const comment = ':\n\n';

/** Resolves once the operating system has taken the text, or the connection has ended. */
function written(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(text, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}
