import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Answer, Event } from './layer.ts';

/** The token for areas B and C, sent in a header of its own. */
export const management = 'Bearer a-token-for-the-others';
export const tokens = { authorization: 'Bearer a-token-for-area-a', 'x-management': management };

/** Sends an operation to a server at `url`, with both tokens unless others are given. */
export async function postQuery(
  url: string,
  query: string,
  variables: object = {},
  headers: Readonly<Record<string, string>> = tokens,
): Promise<Pick<Answer, 'data' | 'errors'>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

type Watch = (url: string, query: string, variables: Record<string, unknown>) => AsyncIterable<Event>;

/** Subscribes by either transport, with both tokens. */
export const watchers: Readonly<Record<'sse' | 'ws', Watch>> = {
  sse: (url, query, variables) =>
    createEventClient({ url, headers: tokens, retryAttempts: 0 }).iterate({
      query,
      variables,
    }) as AsyncIterable<Event>,
  ws: (url, query, variables) =>
    createSocketClient({
      url: url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: tokens,
      retryAttempts: 0,
    }).iterate({ query, variables }) as AsyncIterable<Event>,
};
