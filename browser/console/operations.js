/**
 * The operations that are followed here, each as it goes on.
 *
 * @import { Operation } from './documents.js'
 * @import { Kept } from './kept.js'
 */
import { operationProgress } from './documents.js';
import { byId, say } from './element.js';
import { faultText } from './graph.js';
import { createCard, nameOf } from './operation-card.js';
import { handleIn, isFinished, states } from './words.js';

/**
 * @typedef {ReturnType<typeof import('./graph.js').openWatch>} Watch
 * @typedef {Awaited<ReturnType<typeof import('./kept.js').openKept>>} KeptList
 * @typedef {{ card: HTMLElement, isEnded: boolean, stop: () => void }} Followed
 */

/**
 * @param {{ watch: Watch, kept: KeptList, announce: (text: string) => void }} given
 */
export function showOperations({ watch, kept, announce }) {
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
  const drop = (ids) => {
    for (const id of ids) {
      followed.get(id)?.stop();
      followed.get(id)?.card.remove();
      followed.delete(id);
    }
    count();
  };

  /** Shows what is kept: also what another tab has begun to follow, or dropped. */
  const show = () => {
    const entries = kept.list();
    const ids = entries.map(({ id }) => id);
    drop([...followed.keys()].filter((id) => !ids.includes(id)));
    // The newest stands first: from the last on, each one goes before those that are there.
    for (const entry of entries.toReversed().filter(({ id }) => !followed.has(id)))
      list.prepend(follow(entry));
    count();
  };

  /** @param {Kept} entry */
  const follow = (entry) => {
    const name = nameOf(entry);
    const { card, tell, fail } = createCard(entry, () => {
      kept.drop([entry.id]);
      drop([entry.id]);
      announce(`${name} is no longer followed here.`);
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
    one.stop = watch(
      operationProgress,
      { id: entry.id },
      {
        /** @param {{ operationProgress: Operation | null } | null} data */
        told(data, faults) {
          const operation = data?.operationProgress;
          if (!operation) return fail(faults);
          tell(operation);
          if (operation.state !== before && (before !== null || isFinished(operation.state)))
            announce(`${name}: ${states[operation.state].word}.`);
          before = operation.state;
          if (isFinished(operation.state)) end();
        },
        ended(faults) {
          if (faults.length === 0) return end();
          fail(faults);
          announce(`${name}: ${faultText(faults)}`);
          // With another token it may go on: only what nobody can follow any more counts as finished.
          if (faults.some(({ extensions }) => gone.includes(extensions?.code ?? ''))) end();
        },
      },
    );
    return card;
  };

  /**
   * Follows an operation from now on, and goes to it.
   *
   * @param {Kept} entry
   */
  const add = (entry) => {
    kept.add(entry);
    show();
    followed.get(entry.id)?.card.focus();
  };

  paste.addEventListener('submit', (event) => {
    event.preventDefault();
    const id = handleIn(pasted.value);
    say(
      pasteFault,
      id === null
        ? 'This is no handle: paste what starting the operation gave, or an address that shares it.'
        : '',
    );
    pasted.setAttribute('aria-invalid', String(id === null));
    if (id === null) return pasted.focus();
    pasted.value = '';
    add({ id, action: null, place: null, since: Date.now() });
  });
  clear.addEventListener('click', () => {
    const ids = [...followed].filter(([, { isEnded }]) => isEnded).map(([id]) => id);
    kept.drop(ids);
    drop(ids);
    announce(
      ids.length === 1
        ? 'One finished operation is cleared.'
        : `${ids.length} finished operations are cleared.`,
    );
    byId('operations', HTMLElement).focus();
  });
  kept.onChange(show);
  show();
  return { add };
}

const gone = ['OPERATION_EXPIRED', 'BAD_USER_INPUT'];
