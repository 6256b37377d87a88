/** How the console asks the graph: what it asks once by fetch, what it watches over one WebSocket. */
import { currentToken, refused } from '../session.js';
import { createClient } from './graphql-ws/client.js';
import { settings } from './settings.js';
import { retryPauseMs } from './words.js';

/**
 * @typedef {{ message: string, extensions?: { code?: string } }} Fault
 * @typedef {'connecting' | 'open' | 'waiting' | 'idle'} Connection
 */

/** What is sent: the sandbox's, or of who signed in, or what was given by hand. */
export const token = () => settings.token ?? currentToken();

/** Thrown where no answer came: nobody knows what became of what was asked. */
export class Unanswered extends Error {
  /** @override */
  name = 'Unanswered';
}

/**
 * @template Data
 * @param {string} query
 * @param {object} [variables]
 * @returns {Promise<{ data: Data | null, faults: readonly Fault[] }>}
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
      throw new Unanswered('The graph did not answer.');
    },
  );
  const faults = answer.errors ?? [];
  noteRefusal(faults, sent);
  return { data: answer.data ?? null, faults };
}

/** @param {readonly Fault[]} faults */
export const faultText = (faults) => faults.map(({ message }) => message).join(' ');

/** @param {string | null} sent */
const authorization = (sent) => (sent === null ? {} : { authorization: `Bearer ${sent}` });

/**
 * @param {readonly Fault[]} faults
 * @param {string | null} sent
 */
function noteRefusal(faults, sent) {
  const isRefused = faults.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
  if (isRefused && sent !== null) refused(sent);
}

const pingMs = 10_000;
const longestPongMs = 5_000;

/**
 * Watches whatever is asked for over one WebSocket. Where that breaks, it is opened again until it stands, and
 * everything is asked for anew: each subscription tells first how things are now, so nothing is missed.
 *
 * @param {(now: Connection, pauseMs: number) => void} tell how the connection is
 */
export function openWatch(tell) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let unanswered;
  /** @type {string | null} */
  let sent = null;
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
      const pauseMs = retryPauseMs(retries, Math.random());
      tell('waiting', pauseMs);
      await new Promise((resolve) => {
        setTimeout(resolve, pauseMs);
        addEventListener('online', resolve, { once: true });
      });
    },
    on: {
      connecting: () => tell('connecting', 0),
      connected: () => tell('open', 0),
      closed: () => {
        clearTimeout(unanswered);
        tell('idle', 0);
      },
      // A connection that broke on its way says nothing of it.
      ping: (isReceived) => {
        if (!isReceived) unanswered = setTimeout(() => client.terminate(), longestPongMs);
      },
      pong: (isReceived) => {
        if (isReceived) clearTimeout(unanswered);
      },
    },
  });

  /**
   * @template Data
   * @param {string} query
   * @param {Record<string, unknown>} variables
   * @param {{ told(data: Data | null, faults: readonly Fault[]): void, ended(faults: readonly Fault[]): void }} watcher
   * @returns {() => void} stops it
   */
  function watch(query, variables, { told, ended }) {
    let isStopped = false;
    let stop = () => {};
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let later;
    /** @param {number} refusals since something was told */
    const begin = (refusals) => {
      let inVain = refusals;
      stop = client.subscribe(
        { query, variables },
        {
          next({ data, errors }) {
            inVain = 0;
            told(/** @type {Data | null} */ (data ?? null), errors ?? []);
          },
          error(reason) {
            const faults = faultsOf(reason);
            noteRefusal(faults, sent);
            if (isStopped) return;
            if (!isPassing(faults)) return ended(faults);
            told(null, faults);
            later = setTimeout(begin, retryPauseMs(inVain, Math.random()), inVain + 1);
          },
          complete() {
            if (!isStopped) ended([]);
          },
        },
      );
    };
    begin(0);
    return () => {
      isStopped = true;
      clearTimeout(later);
      stop();
    };
  }
  return watch;
}

const passing = ['OVERLOADED', 'UPSTREAM_THROTTLED', 'UPSTREAM_TIMEOUT', 'UPSTREAM_UNAVAILABLE'];

/** Whether it may go better in a while. @param {readonly Fault[]} faults */
const isPassing = (faults) =>
  faults.length > 0 && faults.every(({ extensions }) => passing.includes(extensions?.code ?? ''));

/** The close code of a token that is not taken. */
const unauthorized = 4401;

/**
 * @param {unknown} reason what graphql-ws gives: the faults of the graph, a close that is final, or a mistake
 * @returns {readonly Fault[]}
 */
function faultsOf(reason) {
  if (Array.isArray(reason)) return reason;
  const { code, message } = /** @type {{ code?: unknown, message?: unknown }} */ (reason ?? {});
  if (code === unauthorized)
    return [{ message: 'Your token was refused, or has ended.', extensions: { code: 'UNAUTHENTICATED' } }];
  return [{ message: typeof message === 'string' ? message : 'The connection was closed for good.' }];
}
