// Clients that send given payloads over each transport of the graph, one request at a time.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { WebSocket } from 'ws';

const token = 'Bearer bench';
// An accepted subscription stays open.
const patienceMs = 5_000;

/** The outcome of a request: an HTTP `status`, or 0 when the connection was closed. */
const outcomeOf = (status, text) => ({
  status: text.includes('INTERNAL_SERVER_ERROR') ? 500 : status,
  isRefused: status >= 400 || status === 0 || text.includes('"errors"'),
});

const textOf = (payload) => (typeof payload === 'string' ? payload : JSON.stringify(payload));

function addressOf(payload) {
  const {
    query = '',
    variables,
    operationName = '',
  } = typeof payload === 'string' ? { query: payload } : payload;
  const parameters = new URLSearchParams({ query, operationName });
  if (variables) parameters.set('variables', JSON.stringify(variables));
  return parameters;
}

function createHttpClient(url, { method, path, accept }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    isStream: path.endsWith('stream'),
    async send(payload) {
      const isGet = method === 'GET';
      const body = isGet ? undefined : textOf(payload);
      const sent = request(`${url}${path}${isGet ? `?${addressOf(payload)}` : ''}`, {
        method,
        agent,
        headers: { 'content-type': 'application/json', authorization: token, accept },
        signal: AbortSignal.timeout(patienceMs),
      });
      sent.end(body);
      try {
        const [response] = await once(sent, 'response');
        let text = '';
        for await (const chunk of response) text += chunk;
        return outcomeOf(response.statusCode, text);
      } catch (error) {
        return outcomeOf(error.name === 'AbortError' ? 200 : 0, '');
      }
    },
    close: () => agent.destroy(),
  };
}

function createSocketClient(url) {
  let socket = null;
  let count = 0;
  let settle = () => {};
  const open = async () => {
    socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
    socket.on('error', () => {});
    socket.on('close', (code) => settle(outcomeOf(failures.has(code) ? 500 : 0, '')));
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: token } }));
    await once(socket, 'message');
    socket.on('message', (data) => {
      const { id, type, payload } = JSON.parse(data);
      if (id !== String(count) || type === 'complete') return;
      settle(outcomeOf(200, JSON.stringify(type === 'error' ? { errors: payload } : payload)));
    });
  };
  return {
    isStream: true,
    async send(payload) {
      if (socket?.readyState !== WebSocket.OPEN) await open();
      count += 1;
      const outcome = new Promise((resolve) => {
        settle = resolve;
      });
      const timer = setTimeout(() => settle(outcomeOf(200, '')), patienceMs);
      socket.send(`{"id":"${count}","type":"subscribe","payload":${textOf(payload)}}`);
      return outcome.finally(() => clearTimeout(timer));
    },
    close: () => socket?.terminate(),
  };
}

// "Internal server error" as close codes of graphql-ws and of RFC 6455.
const failures = new Set([1011, 4500]);

const json = 'application/json';
const events = 'text/event-stream';

/** The transports by name: each creates a client with its own connection. */
export const transports = {
  POST: (url) => createHttpClient(url, { method: 'POST', path: '', accept: json }),
  GET: (url) => createHttpClient(url, { method: 'GET', path: '', accept: json }),
  WebSocket: createSocketClient,
  'events by POST': (url) => createHttpClient(url, { method: 'POST', path: '/stream', accept: events }),
  'events by GET': (url) => createHttpClient(url, { method: 'GET', path: '/stream', accept: events }),
};
