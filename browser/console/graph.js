/**
 * The console's GraphQL client: queries and mutations by fetch, subscriptions over one WebSocket.
 *
 * @import { Document } from './types.js'
 */
import { currentToken, refused } from '../session.js';
import { createClient } from './graphql-ws/client.js';
import { retryDelayMs } from './labels.js';
import { settings } from './settings.js';

/**
 * @typedef {{ message: string, extensions?: { code?: string } }} GraphError
 * @typedef {'connecting' | 'open' | 'waiting' | 'idle'} Connection
 * @typedef {ReturnType<typeof openSubscriptions>} Subscribe
 */

/** The token to send: the sandbox's, from sign-in, or entered by hand. */
export const token = () => settings.token ?? currentToken();

/** No response arrived, so the outcome of the request is unknown. */
export class NoResponseError extends Error {
  /** @override */
  name = 'NoResponseError';
}

/**
 * @template Data
 * @param {Document<Data>} query
 * @param {object} [variables]
 * @returns {Promise<{ data: Data | null, errors: readonly GraphError[] }>}
 */
export async function ask(query, variables = {}) {
  const sent = token();
  const answer = await fetch(settings.graphPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization(sent) },
    body: JSON.stringify({ query, variables }),
  }).then(
    (response) => response.json(),
    () => {
      throw new NoResponseError('No response from the server.');
    },
  );
  const errors = answer.errors ?? [];
  reportRefusedToken(errors, sent);
  return { data: answer.data ?? null, errors };
}

/** Each message once: a failed call repeats its error at every field. @param {readonly GraphError[]} errors */
export const errorMessages = (errors) => [...new Set(errors.map(({ message }) => message))].join(' ');

/** @param {string | null} sent */
const authorization = (sent) => (sent === null ? {} : { authorization: `Bearer ${sent}` });

/**
 * @param {readonly GraphError[]} errors
 * @param {string | null} sent
 */
function reportRefusedToken(errors, sent) {
  const isRefused = errors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
  if (isRefused && sent !== null) refused(sent, errors);
}

const pingMs = 10_000;
const maxPongDelayMs = 5_000;

/**
 * Opens one WebSocket for all subscriptions. After a disconnect it reconnects until it succeeds and subscribes again.
 * What is sent from then on may leave out what happened meanwhile: `onResume` is called, to read it.
 *
 * @param {(now: Connection, delayMs: number) => void} onChange called with each state of the connection
 */
export function openSubscriptions(onChange) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pongTimer;
  /** @type {string | null} */
  let sent = null;
  let isWaiting = false;
  /** @type {Set<() => void>} */
  const resuming = new Set();
  const client = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}${settings.graphPath}`,
    connectionParams() {
      sent = token();
      return authorization(sent);
    },
    keepAlive: pingMs,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    async retryWait(retries) {
      const delayMs = retryDelayMs(retries, Math.random());
      isWaiting = true;
      onChange('waiting', delayMs);
      await new Promise((resolve) => {
        setTimeout(resolve, delayMs);
        addEventListener('online', resolve, { once: true });
      });
      isWaiting = false;
    },
    on: {
      connecting: () => onChange('connecting', 0),
      connected(_socket, _payload, isAgain) {
        onChange('open', 0);
        if (isAgain) for (const resume of resuming) resume();
      },
      closed: () => {
        clearTimeout(pongTimer);
        // A failed attempt ends in an error, which begins the wait, before it is closed.
        if (!isWaiting) onChange('idle', 0);
      },
      // A connection lost in transit sends no close frame: a missing pong ends it.
      ping: (isReceived) => {
        if (!isReceived) pongTimer = setTimeout(() => client.terminate(), maxPongDelayMs);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(pongTimer);
      },
    },
  });

  /**
   * @template Data
   * @param {Document<Data>} query
   * @param {Record<string, unknown>} variables
   * @param {{
   *   onData(data: Data | null, errors: readonly GraphError[]): void, onEnd(errors: readonly GraphError[]): void,
   *   onResume?(): void,
   * }} listener
   * @returns {() => void} unsubscribes
   */
  function subscribe(query, variables, { onData, onEnd, onResume = () => {} }) {
    let isStopped = false;
    let stop = () => {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let retryTimer;
    /** @param {number} failuresBefore consecutive failures without an event */
    const begin = (failuresBefore) => {
      let failures = failuresBefore;
      stop = client.subscribe(
        { query, variables },
        {
          next({ data, errors }) {
            failures = 0;
            onData(/** @type {Data | null} */ (data ?? null), errors ?? []);
          },
          error(reason) {
            const errors = toGraphErrors(reason);
            reportRefusedToken(errors, sent);
            if (isStopped) return;
            if (!isTransient(errors)) return onEnd(errors);
            onData(null, errors);
            retryTimer = setTimeout(
              () => {
                begin(failures + 1);
                onResume();
              },
              retryDelayMs(failures, Math.random()),
            );
          },
          complete() {
            if (!isStopped) onEnd([]);
          },
        },
      );
    };
    begin(0);
    resuming.add(onResume);
    return () => {
      isStopped = true;
      resuming.delete(onResume);
      clearTimeout(retryTimer);
      stop();
    };
  }
  return subscribe;
}

const transientCodes = ['OVERLOADED', 'UPSTREAM_THROTTLED', 'UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE'];

/** @param {readonly GraphError[]} errors */
const isTransient = (errors) =>
  errors.length > 0 && errors.every(({ extensions }) => transientCodes.includes(extensions?.code ?? ''));

/** Close code for a refused token. */
const unauthorized = 4401;

/**
 * @param {unknown} reason from graphql-ws: GraphQL errors, a CloseEvent, or an exception
 * @returns {readonly GraphError[]}
 */
function toGraphErrors(reason) {
  if (Array.isArray(reason)) return reason;
  const { code, message } = /** @type {{ code?: unknown, message?: unknown }} */ (reason ?? {});
  if (code === unauthorized)
    return [{ message: 'The token was refused or has expired.', extensions: { code: 'UNAUTHENTICATED' } }];
  return [{ message: typeof message === 'string' ? message : 'The connection was closed.' }];
}
