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

const maxQueryMs = 60_000;
const noResponse = 'No response from the server.';

/**
 * Sends a query or a mutation. Never rejects: a request without a response is an error of the result.
 *
 * @template Data
 * @param {Document<Data>} query
 * @param {object} [variables]
 * @returns {Promise<{ data: Data | null, errors: readonly GraphError[] }>}
 */
export async function ask(query, variables = {}) {
  const sent = token();
  const isMutation = query.startsWith('mutation');
  const answer = await fetch(settings.graphPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization(sent) },
    body: JSON.stringify({ query, variables }),
    signal: isMutation ? null : AbortSignal.timeout(maxQueryMs),
  })
    .then((response) => response.json())
    .catch(() => ({
      errors: [{ message: isMutation ? `${noResponse} Check the state before you repeat it.` : noResponse }],
    }));
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

/** Close codes of graphql-transport-ws after which another attempt would be closed, too: bad request, unauthorized, forbidden, other subprotocol. */
const unauthorized = 4401;
const finalCodes = [4400, unauthorized, 4403, 4406];

/** graphql-ws gives up after most close codes, and reconnects without a delay after 1000. This socket reports all but the final codes as 1006. */
class RetriedWebSocket extends WebSocket {
  /** @param {string | URL} url @param {string | string[]} [protocols] */
  constructor(url, protocols) {
    super(url, protocols);
    this.addEventListener('close', (event) => {
      if (finalCodes.includes(event.code)) return;
      event.stopImmediatePropagation();
      this.onclose?.(new CloseEvent('close', { code: 1006 }));
    });
  }
}

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
  /** Attempts since a connection last lived until a pong. */
  let attempts = 0;
  /** @type {Set<() => void>} */
  const resuming = new Set();
  const client = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}${settings.graphPath}`,
    connectionParams() {
      sent = token();
      return authorization(sent);
    },
    webSocketImpl: RetriedWebSocket,
    keepAlive: pingMs,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    async retryWait() {
      const delayMs = retryDelayMs(attempts, Math.random());
      attempts += 1;
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
        if (!isReceived) return;
        clearTimeout(pongTimer);
        attempts = 0;
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
