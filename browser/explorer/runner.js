/** Runs the operations of a document: one at a time. */
import { count } from './amounts.js';
import { createRequest, findFollower, readRun } from './documents.js';
import { send, subscribe } from './graph.js';

/**
 * @import { GraphRequest } from './graph.js'
 * @import { createResponsePane } from './response.js'
 */

/**
 * @param {ReturnType<typeof createResponsePane>} pane
 * @param {(running: 'request' | 'subscription' | null) => void} onChange
 */
export function createRunner(pane, onChange) {
  /** @type {(() => void) | null} */
  let stopRunning = null;

  /** @param {'request' | 'subscription' | null} running @param {(() => void) | null} stop */
  function setRunning(running, stop = null) {
    stopRunning = stop;
    onChange(running);
  }

  /**
   * @param {{ query: string, variables: string, headers: string }} written
   * @param {string | null} name of the operation; the first where it is null
   * @returns {Promise<string | null>} how it went, in a few words; null where nothing was sent
   */
  async function run(written, name) {
    stop();
    pane.clear();
    try {
      const { operations, operation, request, headers } = readRun(written, name);
      if (operation?.kind !== 'subscription')
        return await ask(request, headers, (data) => {
          const follower = operation && findFollower(operations, operation, data);
          return follower && createRequest(written.query, follower.operation, follower.variables);
        });
      follow(request, headers);
      return 'Subscribed';
    } catch (error) {
      pane.complain(error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  /**
   * @param {GraphRequest} request
   * @param {Record<string, string>} headers
   * @param {(data: unknown) => GraphRequest | null} findNext finds the subscription that follows the response
   */
  async function ask(request, headers, findNext) {
    const aborting = new AbortController();
    const stopAsking = () => aborting.abort();
    setRunning('request', stopAsking);
    pane.say('Waiting for the response …');
    const startedAt = performance.now();
    let outcome = 'Cancelled';
    try {
      const response = await send(request, headers, aborting.signal);
      if (aborting.signal.aborted) return outcome;
      outcome = pane.show(response, performance.now() - startedAt);
      const next = findNext(response.result?.data);
      if (next) {
        follow(next, headers);
        return outcome;
      }
    } catch (error) {
      if (aborting.signal.aborted) return outcome;
      outcome = 'No response';
      pane.complain(
        'No response: the server cannot be reached, or the connection was lost. What a mutation did is unknown.',
      );
      if (!(error instanceof TypeError)) throw error;
    }
    if (stopRunning === stopAsking) setRunning(null);
    return outcome;
  }

  /** @param {GraphRequest} request @param {Record<string, string>} headers */
  function follow(request, headers) {
    let received = 0;
    const name = request.operationName ?? 'Subscription';
    const sayStanding = () =>
      pane.say(
        received === 0
          ? `${name}: waiting for the first result …`
          : `${name}: ${count(received, 'result')}, subscribed`,
      );
    sayStanding();
    const unsubscribe = subscribe(request, headers, {
      onResult(result) {
        received += 1;
        pane.add(result);
        sayStanding();
      },
      onReconnect: sayStanding,
      onDisconnect: () => pane.say(`${name}: disconnected, connecting again …`),
      onEnd(errors) {
        if (errors.length === 0) pane.say(`${name}: complete after ${count(received, 'result')}`);
        else pane.fail(errors, `${name}: ended with an error`);
        setRunning(null);
      },
    });
    setRunning('subscription', () => {
      unsubscribe();
      pane.say(`${name}: unsubscribed after ${count(received, 'result')}`);
    });
  }

  function stop() {
    const stopNow = stopRunning;
    if (stopNow === null) return;
    setRunning(null);
    pane.say('Cancelled. What a mutation did is unknown.');
    stopNow();
  }

  return { run, stop, isRunning: () => stopRunning !== null };
}
