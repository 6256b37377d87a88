/** Sends operations to the graph: queries and mutations by fetch, subscriptions over WebSocket. */
import { currentToken, refused } from '../session.js';
import { createClient } from './libraries.js';
import { settings } from './settings.js';

/**
 * @typedef {{ query: string, operationName: string | null, variables: object }} GraphRequest
 * @typedef {{ message: string, extensions?: { code?: string } }} GraphError
 * @typedef {{ data?: unknown, errors?: readonly GraphError[], extensions?: { upstream?: readonly Call[] } }} GraphResult
 * @typedef {{ path: string, plan: string }} Relation
 * @typedef {{ method: string, path: string, status: number | null, keys?: number, relations?: readonly Relation[] }} Part
 * @typedef {Part & { upstream: string, milliseconds: number, bytes: number | null, rows: number | null, parts?: readonly Part[] }} Call
 */

/** The token to send: the sandbox's, from sign-in, or entered by hand. */
export const token = () => settings.token ?? currentToken();

/** Headers of the user's own come last: an `authorization` among them replaces the token. @param {Record<string, string>} own */
function createHeaders(own) {
  const sent = token();
  return { ...(sent !== null && { authorization: `Bearer ${sent}` }), ...own };
}

/**
 * @param {GraphRequest} request
 * @param {Record<string, string>} headers
 * @param {AbortSignal} signal
 * @returns {Promise<{ status: number, result: GraphResult | null, text: string, bytes: number }>} `result` is null where the body is not JSON
 * @throws {TypeError} without a response
 */
export async function send(request, headers, signal) {
  const sent = createHeaders(headers);
  const response = await fetch(settings.graphPath, {
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json, application/json;q=0.9',
      'content-type': 'application/json',
      'tributary-explain': '1',
      'apollographql-client-name': 'explorer',
      ...sent,
    },
    body: JSON.stringify(request),
    signal,
  });
  const text = await response.text();
  const result = parseJson(text);
  if (response.status === 401 || hasUnauthenticated(result?.errors))
    reportRefused(sent.authorization, result?.errors);
  return { status: response.status, result, text, bytes: new TextEncoder().encode(text).length };
}

/** @param {string} text @returns {GraphResult | null} */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Close code for a refused token. */
const unauthorized = 4401;

const maxRetryDelayMs = 30_000;

/**
 * Subscribes over a connection of its own, which is opened again after a disconnect, until it is stopped.
 *
 * @param {GraphRequest} request
 * @param {Record<string, string>} headers
 * @param {{ onResult(result: GraphResult): void, onDisconnect(): void, onReconnect(): void, onEnd(errors: readonly GraphError[]): void }} listener
 * @returns {() => void} unsubscribes
 */
export function subscribe(request, headers, { onResult, onDisconnect, onReconnect, onEnd }) {
  let sent = createHeaders(headers);
  let isStopped = false;
  const client = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}${settings.graphPath}`,
    connectionParams: () => {
      sent = createHeaders(headers);
      return sent;
    },
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: (retries) =>
      new Promise((resolve) => setTimeout(resolve, Math.min(maxRetryDelayMs, 500 * 2 ** retries))),
    on: {
      // Once this is called, the operation is sent again.
      connected: (_socket, _payload, isAgain) => {
        if (isAgain && !isStopped) onReconnect();
      },
      closed: () => {
        if (!isStopped) onDisconnect();
      },
    },
  });
  /** @param {readonly GraphError[]} errors */
  function end(errors) {
    if (isStopped) return;
    isStopped = true;
    onEnd(errors);
    void client.dispose();
  }
  client.subscribe(
    { query: request.query, operationName: request.operationName, variables: { ...request.variables } },
    {
      next(result) {
        const found = /** @type {GraphResult} */ (result);
        if (hasUnauthenticated(found.errors)) reportRefused(sent.authorization, found.errors);
        onResult(found);
      },
      error(reason) {
        const errors = toErrors(reason);
        if (hasUnauthenticated(errors)) reportRefused(sent.authorization, errors);
        end(errors);
      },
      complete() {
        end([]);
      },
    },
  );
  return () => {
    isStopped = true;
    void client.dispose();
  };
}

/** @param {unknown} errors */
export const hasUnauthenticated = (errors) =>
  Array.isArray(errors) && errors.some((error) => error?.extensions?.code === 'UNAUTHENTICATED');

/**
 * Marks the token as refused where it is the one of the session.
 *
 * @param {string | undefined} authorization
 * @param {unknown} errors
 */
function reportRefused(authorization, errors) {
  if (authorization?.startsWith('Bearer ')) refused(authorization.slice('Bearer '.length), errors);
}

/**
 * @param {unknown} reason from graphql-ws: GraphQL errors, a CloseEvent, or an exception
 * @returns {readonly GraphError[]}
 */
function toErrors(reason) {
  if (Array.isArray(reason)) return reason;
  const {
    code,
    reason: words,
    message,
  } = /** @type {{ code?: unknown, reason?: unknown, message?: unknown }} */ (reason ?? {});
  if (code === unauthorized)
    return [{ message: 'The token was refused or has expired.', extensions: { code: 'UNAUTHENTICATED' } }];
  const text = [words, message].find((found) => typeof found === 'string' && found !== '');
  return [{ message: typeof text === 'string' ? text : 'The connection was closed.' }];
}
