/**
 * Stops and starts instances.
 *
 * @import { Row } from './fleet-rows.js'
 * @import { Outcome } from './action-plan.js'
 * @import { Action } from '../types.js'
 */

import { actOnMany, actOnOne } from '../documents.js';
import { ask, errorMessages } from '../graph.js';
import { readOutcome } from './action-plan.js';

/** How many instances one mutation takes. */
const maxInstances = 100;
/** How many mutations of one instance are sent at a time. */
const concurrency = 4;

/**
 * Sends an action for each of these. `onOutcome` is called for each response, so that what has begun is followed at once.
 *
 * @param {Action} action
 * @param {readonly Row[]} targets
 * @param {number} softStopTimeoutSeconds
 * @param {(outcome: Outcome) => void} onOutcome
 */
export async function perform(action, targets, softStopTimeoutSeconds, onOutcome) {
  const options = action === 'STOP' ? { softStopTimeoutSeconds } : {};
  const servers = targets.filter(({ kind }) => kind === 'APPLICATION_INSTANCE');
  const others = targets.filter(({ kind }) => kind !== 'APPLICATION_INSTANCE');

  const sendServers = async () => {
    for (let at = 0; at < servers.length; at += maxInstances) {
      const rows = servers.slice(at, at + maxInstances);
      const instances = rows.map(({ nodeId }) => ({ nodeId }));
      const { data, errors } = await ask(actOnMany[action], { input: { ...options, instances } });
      onOutcome(readOutcome(rows, data?.begun?.results ?? [], errorMessages(errors)));
    }
  };
  const sendNext = async () => {
    for (let row = others.shift(); row !== undefined; row = others.shift()) {
      const document = /** @type {import('../documents.js').ActDocument} */ (actOnOne[row.kind]?.[action]);
      const { data, errors } = await ask(document, {
        input: { ...options, instance: { nodeId: row.nodeId } },
      });
      onOutcome(readOutcome([row], data?.begun ? [data.begun] : [], errorMessages(errors)));
    }
  };
  await Promise.all([sendServers(), ...Array.from({ length: concurrency }, sendNext)]);
}
