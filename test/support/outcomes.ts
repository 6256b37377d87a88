import { once } from 'node:events';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { testToken } from './layer.ts';

/** A request as a test sends it: texts go out as they are, anything else as JSON. */
export interface Sent {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: unknown;
}

/** How a transport answered, whichever it was. */
export type Outcome = ReturnType<typeof outcomeOf>;

interface AnyError {
  readonly message: string;
  readonly extensions?: { readonly code?: unknown; readonly requestId?: unknown };
}

const outcomeOf = (status: number, errors: readonly AnyError[], text: string) => ({
  /** The status over HTTP; 0 over WebSocket, and the code by which a socket was closed. */
  status,
  codes: errors.map(({ extensions }) => extensions?.code),
  messages: errors.map(({ message }) => message),
  hasRequestIds: errors.every(({ extensions }) => typeof extensions?.requestId === 'string'),
  /** Characters of the answer. */
  length: text.length,
});

async function overHttp(method: string, url: string, accept: string, body?: string): Promise<Outcome> {
  const headers = { authorization: `Bearer ${testToken}`, 'content-type': 'application/json', accept };
  const sent = request(url, { method, headers, agent: false });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) {
    text += chunk;
    // A stream that was let through goes on: its first event says all.
    if (text.includes('event: next')) break;
  }
  sent.destroy();
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return outcomeOf(response.statusCode, (JSON.parse(json) as { errors?: AnyError[] }).errors ?? [], text);
}

const parametersOf = ({ query, variables, operationName }: Sent): string =>
  new URLSearchParams({
    query,
    ...(variables !== undefined && {
      variables: typeof variables === 'string' ? variables : JSON.stringify(variables),
    }),
    ...(operationName !== undefined && { operationName: String(operationName) }),
  }).toString();

/** A body; variables that are a text are written into it as they are. */
const bodyOf = ({ variables, ...rest }: Sent): string => {
  if (variables === undefined) return JSON.stringify(rest);
  const text = typeof variables === 'string' ? variables : JSON.stringify(variables);
  return `${JSON.stringify(rest).slice(0, -1)},"variables":${text}}`;
};

async function overSocket(url: string, sent: Sent): Promise<Outcome> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  try {
    await once(socket, 'open');
    socket.send(
      JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${testToken}` } }),
    );
    await once(socket, 'message');
    const answered = Promise.race([once(socket, 'message'), once(socket, 'close')]);
    socket.send(`{"id":"1","type":"subscribe","payload":${bodyOf(sent)}}`);
    const [first] = await answered;
    if (typeof first === 'number') return outcomeOf(first, [], '');
    const { type, payload } = JSON.parse(String(first));
    return outcomeOf(0, type === 'error' ? payload : (payload.errors ?? []), String(first));
  } finally {
    socket.terminate();
  }
}

type Send = (url: string, sent: Sent) => Promise<Outcome>;

/** Every way a request can come, those for subscriptions alone last. */
export const transports: Readonly<Record<string, Send>> = {
  POST: (url, sent) => overHttp('POST', `${url}/graphql`, 'application/json', bodyOf(sent)),
  GET: (url, sent) => overHttp('GET', `${url}/graphql?${parametersOf(sent)}`, 'application/json'),
  'POST for events': (url, sent) => overHttp('POST', `${url}/graphql`, 'text/event-stream', bodyOf(sent)),
  WebSocket: overSocket,
  'event streams by POST': (url, sent) =>
    overHttp('POST', `${url}/graphql/stream`, 'text/event-stream', bodyOf(sent)),
  'event streams by GET': (url, sent) =>
    overHttp('GET', `${url}/graphql/stream?${parametersOf(sent)}`, 'text/event-stream'),
};

/** Whether a transport carries subscriptions, and nothing else. */
export const isStream = (name: string): boolean => !['POST', 'GET', 'POST for events'].includes(name);
