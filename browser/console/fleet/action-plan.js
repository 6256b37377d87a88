/**
 * What an action is sent for, and what came of it. Does not use the DOM.
 *
 * @import { Row } from './fleet-rows.js'
 * @import { Begun, Operation, UserError } from '../types.js'
 * @typedef {{ begun: Operation[], refusals: { row: Row, message: string }[] }} Outcome
 */

/**
 * What remains to be acted on, and what a selected virtual instance covers: stopping or starting it includes its
 * application servers and central instances, not its databases.
 *
 * @param {readonly Row[]} rows
 * @returns {{ targets: Row[], covered: Row[] }}
 */
export function planAction(rows) {
  const systems = new Set(rows.filter(({ kind }) => kind === 'VIRTUAL_INSTANCE').map(({ nodeId }) => nodeId));
  const isCovered = (/** @type {Row} */ { kind, systemId }) =>
    systems.has(systemId) && (kind === 'APPLICATION_INSTANCE' || kind === 'CENTRAL_INSTANCE');
  return { targets: rows.filter((row) => !isCovered(row)), covered: rows.filter(isCovered) };
}

/**
 * @param {readonly Row[]} rows
 * @param {readonly Begun[]} results in the order of the rows; fewer where the request failed
 * @param {string} fault
 * @returns {Outcome}
 */
export function readOutcome(rows, results, fault) {
  const answers = rows.map((row, at) => ({
    row,
    operation: results[at]?.operation,
    errors: results[at]?.userErrors,
  }));
  return {
    begun: answers.flatMap(({ operation }) => (operation ? [operation] : [])),
    refusals: answers
      .filter(({ operation }) => !operation)
      .map(({ row, errors }) => ({
        row,
        message: (errors ?? []).map(formatUserError).join(' ') || fault || 'No operation was returned.',
      })),
  };
}

/** The upstream's reason where there is one: the message then only points to it. @param {UserError} error */
const formatUserError = ({ message, upstream }) =>
  [upstream?.code, upstream?.message].filter(Boolean).join(': ') || message;
