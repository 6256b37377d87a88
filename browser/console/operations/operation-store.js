/**
 * The stops and starts of this user, and those opened by a link. One subscription follows all that run.
 *
 * @import { Subscribe } from '../graph.js'
 * @import { Operation } from '../types.js'
 */
import {
  operations as listOperations,
  oneOperation,
  operationIds,
  operationsProgress,
} from '../documents.js';
import { addressOf, nameOf } from '../fleet/fleet-rows.js';
import { ask, errorMessages } from '../graph.js';
import { firstText, formatCount, hasText } from '../labels.js';
import { createListeners } from '../listeners.js';
import { isFinished, operationStates } from '../states.js';

/** How many operations a subscription takes. */
const maxIds = 100;
/** Ends that come within this time are announced together. */
const announceMs = 400;

/**
 * @param {{ subscribe: Subscribe, announce: (text: string) => void, onChanged: (operations: readonly Operation[]) => void }} given
 *   `onChanged` is called with operations that have begun or ended
 */
export function createOperationStore({ subscribe, announce, onChanged }) {
  const { notify, watch } = createListeners();
  /** @type {Map<string, Operation>} */
  const operations = new Map();
  let fault = '';
  let isLoading = true;
  let unsubscribe = () => {};
  /** @type {Operation[]} */
  let ended = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let announcing;

  /** @param {Operation} operation */
  const put = (operation) => {
    const before = operations.get(operation.id);
    operations.set(operation.id, operation);
    if (!before || isFinished(before.state) || !isFinished(operation.state)) return;
    ended.push(operation);
    clearTimeout(announcing);
    announcing = setTimeout(() => {
      announce(formatEnds(ended));
      onChanged(ended);
      ended = [];
    }, announceMs);
  };

  const follow = () => {
    unsubscribe();
    const ids = sorted()
      .filter(({ state }) => !isFinished(state))
      .map(({ id }) => id);
    /** @type {(() => void)[]} */
    const stops = [];
    for (let at = 0; at < ids.length; at += maxIds)
      stops.push(
        subscribe(
          operationsProgress,
          { ids: ids.slice(at, at + maxIds) },
          {
            onData(data, errors) {
              fault = errorMessages(errors);
              if (data?.operationsProgress) put(data.operationsProgress);
              notify();
            },
            onEnd(errors) {
              fault = errorMessages(errors);
              notify();
            },
          },
        ),
      );
    unsubscribe = () => {
      for (const stop of stops) stop();
    };
  };

  /** Newest first. */
  const sorted = () =>
    [...operations.values()].toSorted(
      (one, other) => Date.parse(other.requestedAt) - Date.parse(one.requestedAt),
    );

  /** @param {readonly Operation[]} begun */
  const add = (begun) => {
    for (const operation of begun) put(operation);
    if (begun.length > 0) onChanged(begun);
    follow();
    notify();
  };

  return {
    watch,
    add,
    snapshot: () => ({ operations: sorted(), fault, isLoading }),
    /** Reads the operations where there are others than before, such as those of another tab. */
    async refresh() {
      if (!isLoading) {
        const { data } = await ask(operationIds).catch(() => ({ data: null }));
        if (!data?.operations?.some((one) => one && !operations.has(one.id))) return;
      }
      const { data, errors } = await ask(listOperations).catch((/** @type {Error} */ { message }) => ({
        data: null,
        errors: [{ message }],
      }));
      const listed = (data?.operations ?? []).flatMap((one) => one ?? []);
      const begun = isLoading ? [] : listed.filter(({ id }) => !operations.has(id));
      for (const operation of listed) put(operation);
      fault = errorMessages(errors);
      isLoading = false;
      if (begun.length > 0) onChanged(begun);
      follow();
      notify();
    },
    /** Reads an operation by its handle, and follows it from then on. @param {string} id */
    async open(id) {
      if (operations.has(id)) return;
      const { data, errors } = await ask(oneOperation, { id });
      if (data?.instanceOperation) add([data.instanceOperation]);
      else throw new Error(errorMessages(errors) || 'There is no such operation.');
    },
    /** The operations of an instance, newest first. @param {string} address see `addressOf` */
    of: (address) => sorted().filter((operation) => operationAddress(operation) === address),
  };
}

/** @typedef {ReturnType<typeof createOperationStore>} OperationStore */

/** The address of an operation's instance. @param {Operation} operation */
export const operationAddress = (operation) =>
  addressOf({ ...operation, kind: operation.instanceKind, name: nameOf(operation) ?? null });

/** @param {Operation} operation */
export function formatOperation({ action, name, ...names }) {
  const instance = nameOf(names);
  if (action === null || !hasText(instance)) return firstText(name, 'Operation');
  return `${action === 'STOP' ? 'Stop' : 'Start'} ${instance}`;
}

/** @param {readonly Operation[]} ended */
function formatEnds(ended) {
  if (ended.length === 1)
    return ended.map((one) => `${formatOperation(one)}: ${operationStates[one.state].word}.`).join('');
  const counts = Object.entries(operationStates).flatMap(([state, { word }]) => {
    const count = ended.filter((one) => one.state === state).length;
    return count > 0 ? [`${count} ${word.toLowerCase()}`] : [];
  });
  return `${formatCount(ended.length, 'operation')} finished: ${counts.join(', ')}.`;
}
