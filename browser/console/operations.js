/**
 * The list of followed operations, each with its live progress.
 *
 * @import { Operation } from './documents.js'
 * @import { SavedOperation } from './saved-operations.js'
 */
import { operationProgress } from './documents.js';
import { byId, setText } from './dom.js';
import { errorMessages } from './graph.js';
import { isFinished, parseHandle, states } from './labels.js';
import { createCard, formatOperationName } from './operation-card.js';

/**
 * @typedef {ReturnType<typeof import('./graph.js').openSubscriptions>} Subscribe
 * @typedef {Awaited<ReturnType<typeof import('./saved-operations.js').openSavedOperations>>} SavedOperations
 * @typedef {{ card: HTMLElement, isEnded: boolean, stop: () => void }} Followed
 */

/**
 * @param {{ subscribe: Subscribe, saved: SavedOperations, announce: (text: string) => void }} given
 */
export function showOperations({ subscribe, saved, announce }) {
  const list = byId('operation-list', HTMLOListElement);
  const none = byId('operations-none', HTMLElement);
  const clear = byId('clear-operations', HTMLButtonElement);
  const paste = byId('paste', HTMLFormElement);
  const pasted = byId('pasted', HTMLInputElement);
  const pasteFault = byId('paste-fault', HTMLElement);
  /** @type {Map<string, Followed>} */
  const followed = new Map();

  const count = () => {
    none.hidden = followed.size > 0;
    clear.disabled = ![...followed.values()].some(({ isEnded }) => isEnded);
  };

  /** @param {readonly string[]} ids */
  const remove = (ids) => {
    for (const id of ids) {
      followed.get(id)?.stop();
      followed.get(id)?.card.remove();
      followed.delete(id);
    }
    count();
  };

  /** Updates the list to the saved operations, which another tab may have changed. */
  const update = () => {
    const entries = saved.list();
    const ids = entries.map(({ id }) => id);
    remove([...followed.keys()].filter((id) => !ids.includes(id)));
    // Newest first: prepends from the oldest on.
    for (const entry of entries.toReversed().filter(({ id }) => !followed.has(id)))
      list.prepend(follow(entry));
    count();
  };

  /** @param {SavedOperation} entry */
  const follow = (entry) => {
    const name = formatOperationName(entry);
    const { card, show, fail } = createCard(entry, () => {
      saved.remove([entry.id]);
      remove([entry.id]);
      announce(`${name} removed.`);
      byId('operations', HTMLElement).focus();
    });
    /** @type {Followed} */
    const one = { card, isEnded: false, stop: () => {} };
    /** @type {string | null} */
    let before = null;
    const end = () => {
      one.isEnded = true;
      count();
    };
    followed.set(entry.id, one);
    one.stop = subscribe(
      operationProgress,
      { id: entry.id },
      {
        /** @param {{ operationProgress: Operation | null } | null} data */
        onData(data, errors) {
          const operation = data?.operationProgress;
          if (!operation) return fail(errors);
          show(operation);
          if (operation.state !== before && (before !== null || isFinished(operation.state)))
            announce(`${name}: ${states[operation.state].word}.`);
          before = operation.state;
          if (isFinished(operation.state)) end();
        },
        onEnd(errors) {
          if (errors.length === 0) return end();
          fail(errors);
          announce(`${name}: ${errorMessages(errors)}`);
          // Another token may still follow it: only an expired or invalid handle counts as finished.
          if (errors.some(({ extensions }) => finalCodes.includes(extensions?.code ?? ''))) end();
        },
      },
    );
    return card;
  };

  /**
   * Adds an operation to the list and moves the focus to it.
   *
   * @param {SavedOperation} entry
   */
  const add = (entry) => {
    saved.add(entry);
    update();
    followed.get(entry.id)?.card.focus();
  };

  paste.addEventListener('submit', (event) => {
    event.preventDefault();
    const id = parseHandle(pasted.value);
    setText(
      pasteFault,
      id === null
        ? 'Not a handle. Paste the handle that starting an operation returned, or a share link.'
        : '',
    );
    pasted.setAttribute('aria-invalid', String(id === null));
    if (id === null) return pasted.focus();
    pasted.value = '';
    add({ id, action: null, place: null, since: Date.now() });
  });
  clear.addEventListener('click', () => {
    const ids = [...followed].filter(([, { isEnded }]) => isEnded).map(([id]) => id);
    saved.remove(ids);
    remove(ids);
    announce(
      ids.length === 1 ? '1 finished operation cleared.' : `${ids.length} finished operations cleared.`,
    );
    byId('operations', HTMLElement).focus();
  });
  saved.onChange(update);
  update();
  return { add };
}

const finalCodes = ['OPERATION_EXPIRED', 'BAD_USER_INPUT'];
