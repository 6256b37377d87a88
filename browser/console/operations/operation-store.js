/**
 * The stops and starts of this user, and those opened by a link. Subscriptions follow all that run.
 *
 * @import { Subscribe } from '../graph.js'
 * @import { Operation, OperationOrigin } from '../types.js'
 */
import {
  operations as listOperations,
  oneOperation,
  operationOrigins,
  operationsProgress,
} from '../documents.js';
import { addressOf, nameOf } from '../fleet/fleet-rows.js';
import { ask, errorMessages } from '../graph.js';
import { firstText, formatCount, hasText } from '../labels.js';
import { createListeners } from '../listeners.js';
import { isFinished, operationStates } from '../states.js';

/** How many operations a subscription takes. */
const maxIds = 100;
/** In characters. The server takes messages of 64 KB, and the document has less than two. */
const maxIdsLength = 60_000;
/** Ends that come within this time are announced together. */
const announceMs = 400;
/** A state counts as the current one for this long after it was read. */
const currentMs = 60_000;
/** After this time without news a state is read again: a subscription tells changes, not that there are none. */
const quietMs = 30_000;
const checkMs = 5_000;

/**
 * @param {{ subscribe: Subscribe, announce: (text: string) => void, onChanged: (operations: readonly Operation[]) => void }} given
 *   `onChanged` is called with operations that have begun or ended
 */
export function createOperationStore({ subscribe, announce, onChanged }) {
  const { notify, watch } = createListeners();
  /** Each with the time of its last read, 0 before the first. @type {Map<string, { operation: Operation, readAt: number }>} */
  const operations = new Map();
  let fault = '';
  let isLoading = true;
  /** @type {Set<string>} */
  let followed = new Set();
  /** @type {(() => void)[]} */
  let unsubscribes = [];
  /** @type {Operation[]} */
  let ended = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let announcing;
  /** @type {Promise<void> | null} */
  let reading = null;
  // Shows in time which states are no longer current.
  setInterval(notify, checkMs);

  /** @param {Operation} operation @param {number} [readAt] when it was asked for */
  const put = (operation, readAt = Date.now()) => {
    const before = operations.get(operation.id);
    // A response may arrive after a later state was pushed.
    if (before && readAt < before.readAt) return;
    operations.set(operation.id, { operation, readAt });
    if (!before?.readAt || isFinished(before.operation.state) || !isFinished(operation.state)) return;
    ended.push(operation);
    clearTimeout(announcing);
    announcing = setTimeout(() => {
      announce(formatEnds(ended));
      onChanged(ended);
      ended = [];
    }, announceMs);
  };

  /** Subscribes anew unless all that run are followed. */
  const follow = () => {
    const ids = all()
      .filter(({ state }) => !isFinished(state))
      .map(({ id }) => id);
    if (ids.every((id) => followed.has(id))) return;
    for (const unsubscribe of unsubscribes) unsubscribe();
    followed = new Set(ids);
    unsubscribes = inMessages(ids).map((part) =>
      subscribe(
        operationsProgress,
        { ids: part },
        {
          onData(data, errors) {
            fault = errorMessages(errors);
            if (data?.operationsProgress) put(data.operationsProgress);
            notify();
          },
          onEnd(errors) {
            for (const id of part) followed.delete(id);
            fault = errorMessages(errors);
            notify();
          },
          onResume: () => void refresh(),
        },
      ),
    );
  };

  /** Newest first. @returns {Operation[]} */
  const all = () => {
    const since = Date.now() - currentMs;
    return [...operations.values()]
      .map(({ operation, readAt }) =>
        operation.state === 'RUNNING' && readAt < since
          ? { ...operation, state: /** @type {const} */ ('UNREAD') }
          : operation,
      )
      .toSorted((one, other) => Date.parse(other.requestedAt) - Date.parse(one.requestedAt));
  };

  /** @param {readonly Operation[]} begun */
  const add = (begun) => {
    for (const operation of begun) put(operation);
    if (begun.length > 0) onChanged(begun);
    follow();
    notify();
    void Promise.resolve(reading).then(refresh);
  };

  async function readAgain() {
    const { data, errors } = await ask(operationOrigins);
    fault = errorMessages(errors);
    if (data) {
      const listed = (data.operations ?? []).flatMap((one) => one ?? []);
      const found = listed.filter(({ id }) => !operations.has(id));
      removeReplaced(new Set(listed.map(({ id }) => id)));
      const quietSince = Date.now() - quietMs;
      const quiet = [...operations.values()].filter(
        ({ operation, readAt }) => !isFinished(operation.state) && readAt < quietSince,
      );
      if (found.length + quiet.length > 0) await readStates(found);
      const foreign = quiet.filter(({ operation: { id } }) => listed.every((one) => one.id !== id));
      for (const { operation } of foreign) {
        const { data: one } = await ask(oneOperation, { id: operation.id });
        if (one?.instanceOperation) put(one.instanceOperation);
      }
      if (!isLoading && found.length > 0) onChanged(found.map((origin) => ({ ...origin, ...unreadStep })));
      isLoading = false;
      follow();
    }
    notify();
  }

  /** Reads the listed operations by one query. Those of `found` that it could not read are kept as unread. @param {readonly OperationOrigin[]} found */
  async function readStates(found) {
    const readAt = Date.now();
    const { data, errors } = await ask(listOperations);
    fault = errorMessages(errors);
    for (const operation of data?.operations ?? []) if (operation) put(operation, readAt);
    if (errors.length > 0)
      for (const origin of found)
        if (!operations.has(origin.id))
          operations.set(origin.id, { operation: { ...origin, ...unreadStep }, readAt: 0 });
  }

  /** The server lists an operation before its request is sent, and replaces its id when the upstream has accepted it. @param {ReadonlySet<string>} listed */
  function removeReplaced(listed) {
    for (const [id, { operation, readAt }] of operations)
      if (!listed.has(id) && (readAt === 0 || operation.state === 'UNKNOWN')) operations.delete(id);
  }

  /** Lists the operations, also those of another tab, and reads the states of those without news. */
  const refresh = () => {
    reading ??= readAgain().finally(() => {
      reading = null;
    });
    return reading;
  };

  return {
    watch,
    add,
    refresh,
    snapshot: () => ({ operations: all(), fault, isLoading }),
    /** Reads an operation by its handle, and follows it from then on. @param {string} id */
    async open(id) {
      if (operations.has(id)) return;
      const { data, errors } = await ask(oneOperation, { id });
      if (data?.instanceOperation) add([data.instanceOperation]);
      else throw new Error(errorMessages(errors) || 'There is no such operation.');
    },
    /** The operations of an instance, newest first. @param {string} address see `addressOf` */
    of: (address) => all().filter((operation) => operationAddress(operation) === address),
  };
}

/** @typedef {ReturnType<typeof createOperationStore>} OperationStore */

/** What is shown of an operation before its state is read. */
const unreadStep = {
  name: null,
  status: null,
  state: /** @type {const} */ ('UNREAD'),
  percentComplete: null,
  startTime: null,
  endTime: null,
  error: null,
};

/** Splits ids into as many as one message takes. @param {readonly string[]} ids */
function inMessages(ids) {
  // With two quotation marks and a comma.
  const longest = Math.max(...ids.map((id) => id.length + 3));
  const count = Math.min(maxIds, Math.floor(maxIdsLength / longest));
  return Array.from({ length: Math.ceil(ids.length / count) }, (_, at) =>
    ids.slice(at * count, (at + 1) * count),
  );
}

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
