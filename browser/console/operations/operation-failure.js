/**
 * Where an operation failed, and why. Does not use the DOM.
 *
 * @import { ErrorDetail, OperationStep } from '../types.js'
 */
import { firstText } from '../labels.js';

const failed = ['FAILED', 'CANCELED'];

/**
 * The names of the steps that lead to the failed one, and each message once: upstreams repeat those of a step for the
 * operation as a whole.
 *
 * @param {OperationStep} operation
 * @returns {{ path: string[], messages: { code: string, message: string }[] }}
 */
export function describeFailure(operation) {
  /** @type {(step: OperationStep) => (ErrorDetail | null)[]} */
  const errorsOf = ({ error, operations = [] }) => [error, ...operations.flatMap(errorsOf)];
  return { path: findFailed(operation.operations ?? []), messages: listMessages(...errorsOf(operation)) };
}

/** The messages of errors and of their details, each once. @param {readonly (ErrorDetail | null)[]} errors */
export function listMessages(...errors) {
  /** @type {Map<string, { code: string, message: string }>} */
  const messages = new Map();
  const add = (/** @type {ErrorDetail | null} */ error) => {
    const key = error?.message || error?.code;
    if (key && !messages.has(key))
      messages.set(key, { code: error.code ?? '', message: error.message ?? '' });
    for (const detail of error?.details ?? []) add(detail);
  };
  for (const error of errors) add(error);
  return [...messages.values()];
}

/** @param {readonly OperationStep[]} steps @returns {string[]} */
function findFailed(steps) {
  const step = steps.find(({ state }) => failed.includes(state));
  return step ? [firstText(step.name, 'Unnamed step'), ...findFailed(step.operations ?? [])] : [];
}

/**
 * Whether a step has begun. One with a word that the graph does not know, such as `NotStarted`, is RUNNING there; it has not
 * begun if nothing else says so.
 *
 * @param {OperationStep} step
 */
export const hasBegun = ({ state, status, startTime, percentComplete }) =>
  state !== 'RUNNING' ||
  startTime !== null ||
  Boolean(percentComplete) ||
  /^$|running|progress|accepted/i.test(status ?? '');

/** The innermost step that runs now; null when none is named. @param {OperationStep} operation @returns {string | null} */
export function currentStep({ operations = [] }) {
  const step = operations.find((one) => one.state === 'RUNNING' && hasBegun(one));
  return step ? (currentStep(step) ?? step.name) : null;
}
