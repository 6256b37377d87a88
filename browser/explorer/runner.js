/** Runs the operations of a document: one at a time. */
import { findFollower, readHeaders, readOperations, readVariables } from './documents.js';
import { send, subscribe } from './graph.js';

/**
 * @import { Runnable } from './documents.js'
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
   */
  async function run(written, name) {
    stop();
    pane.clear();
    const operations = readOperations(written.query) ?? [];
    const operation = operations.find((each) => each.name === name) ?? operations[0];
    try {
      const variables = readVariables(written.variables);
      const headers = readHeaders(written.headers);
      if (operation?.kind === 'subscription') follow(written.query, operation, variables, headers);
      else await ask(written.query, operations, operation ?? null, variables, headers);
    } catch (error) {
      pane.say(error instanceof Error ? error.message : String(error));
    }
  }

  /**
   * @param {string} query
   * @param {readonly Runnable[]} operations
   * @param {Runnable | null} operation null where the document cannot be parsed: the server says why
   * @param {Record<string, unknown>} variables
   * @param {Record<string, string>} headers
   */
  async function ask(query, operations, operation, variables, headers) {
    const aborting = new AbortController();
    const stopAsking = () => aborting.abort();
    setRunning('request', stopAsking);
    pane.say('Waiting for the response …');
    const startedAt = performance.now();
    const request = { query, operationName: operation?.name ?? null, variables: only(variables, operation) };
    try {
      const response = await send(request, headers, aborting.signal);
      if (aborting.signal.aborted) return;
      pane.show(response, performance.now() - startedAt);
      const follower = operation && findFollower(operations, operation, response.result?.data);
      if (follower) return follow(query, follower.operation, follower.variables, headers);
    } catch (error) {
      if (aborting.signal.aborted) return;
      pane.say(
        'No response: the server cannot be reached, or the connection was lost. What a mutation did is unknown.',
      );
      if (!(error instanceof TypeError)) throw error;
    }
    if (stopRunning === stopAsking) setRunning(null);
  }

  /**
   * @param {string} query
   * @param {Runnable} operation
   * @param {Record<string, unknown>} variables
   * @param {Record<string, string>} headers
   */
  function follow(query, operation, variables, headers) {
    let count = 0;
    const name = operation.name ?? 'Subscription';
    const sayStanding = () =>
      pane.say(
        count === 0
          ? `${name}: waiting for the first result …`
          : `${name}: ${count} result${count === 1 ? '' : 's'}, subscribed`,
      );
    sayStanding();
    const request = { query, operationName: operation.name, variables: only(variables, operation) };
    const unsubscribe = subscribe(request, headers, {
      onResult(result) {
        count += 1;
        pane.add(result);
        sayStanding();
      },
      onReconnect: sayStanding,
      onDisconnect: () => pane.say(`${name}: disconnected, connecting again …`),
      onEnd(errors) {
        if (errors.length > 0) pane.fail(errors);
        pane.say(
          errors.length > 0
            ? `${name}: ended with an error`
            : `${name}: complete after ${count} result${count === 1 ? '' : 's'}`,
        );
        setRunning(null);
      },
    });
    setRunning('subscription', () => {
      unsubscribe();
      pane.say(`${name}: unsubscribed after ${count} result${count === 1 ? '' : 's'}`);
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

/**
 * The variables that an operation declares: those of another operation of the document are not sent. All of them where
 * the document cannot be parsed.
 *
 * @param {Record<string, unknown>} variables
 * @param {Runnable | null} operation
 */
const only = (variables, operation) =>
  operation === null
    ? variables
    : Object.fromEntries(Object.entries(variables).filter(([name]) => operation.variables.includes(name)));
