/**
 * The operations that are followed here, each as it goes on.
 *
 * @import { ErrorDetail, Operation, Place, Step } from './documents.js'
 * @import { Fault } from './graph.js'
 * @import { Kept } from './kept.js'
 */
import { operationProgress } from './documents.js';
import { byId, element, say, time } from './element.js';
import { faultText } from './graph.js';
import { handleIn, isFinished, listed, percentText, sharedAddress, states } from './words.js';

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

/** @param {Kept} entry */
function nameOf({ action, place }) {
  if (action === null || place === null) return 'Operation';
  return `${action === 'stop' ? 'Stop' : 'Start'} of ${place.applicationInstanceName}`;
}

/**
 * @param {Kept} entry
 * @param {() => void} dismiss
 */
function createCard(entry, dismiss) {
  const heading = element('h3', {}, nameOf(entry));
  const where = element(
    'p',
    { class: 'where' },
    entry.place ? placeText(entry.place) : 'Followed by its handle',
  );
  const state = element('p', { class: 'state' }, 'Asking …');
  const bar = element('progress', { max: 100 });
  const facts = element('p', { class: 'facts' });
  const trouble = element('div', { class: 'fault', hidden: true });
  const steps = element('ol', { class: 'steps' });
  const link = element('a', { href: sharedAddress(entry.id) }, 'Address to share');
  const button = element('button', { type: 'button', class: 'quiet' }, 'Remove from this list');
  const card = element(
    'li',
    { class: 'card', tabindex: -1 },
    heading,
    where,
    state,
    bar,
    facts,
    trouble,
    steps,
    element('p', { class: 'acts' }, link, button),
  );
  nameBy(card, heading);
  nameBy(bar, heading);
  button.addEventListener('click', dismiss);

  /** @param {Operation} operation */
  const tell = (operation) => {
    card.dataset.state = operation.state;
    say(heading, entry.action === null && operation.name ? operation.name : nameOf(entry));
    state.replaceChildren(...stateText(operation));
    fill(bar, operation);
    facts.replaceChildren(
      'Began ',
      time(operation.startTime),
      ...(operation.endTime ? [', ended ', time(operation.endTime)] : []),
    );
    trouble.replaceChildren(...(operation.error ? [errorText(operation.error)] : []));
    trouble.hidden = !operation.error;
    steps.replaceChildren(...(operation.operations ?? []).map(stepItem));
  };

  /** @param {readonly Fault[]} faults */
  const fail = (faults) => {
    card.dataset.state = 'FAULT';
    bar.hidden = true;
    state.replaceChildren('It is not followed at the moment.');
    trouble.replaceChildren(element('p', {}, faultText(faults)));
    trouble.hidden = false;
  };
  return { card, tell, fail };
}

let names = 0;

/**
 * @param {HTMLElement} named
 * @param {HTMLElement} by
 */
function nameBy(named, by) {
  if (!by.id) by.id = `name-${++names}`;
  named.setAttribute('aria-labelledby', by.id);
}

/** @param {Place} place */
export const placeText = ({ resourceGroupName, virtualInstanceName, subscriptionId }) =>
  listed([virtualInstanceName, resourceGroupName, subscriptionId]);

/** @param {Step} step */
function stateText({ state, percentComplete }) {
  const { mark, word } = states[state];
  const percent = percentText(percentComplete);
  return [element('span', { class: 'mark', 'aria-hidden': 'true' }, mark), ` ${listed([word, percent])}`];
}

/**
 * A bar without a value says that something goes on, not how far.
 *
 * @param {HTMLProgressElement} bar
 * @param {Step} step
 */
function fill(bar, { state, percentComplete }) {
  if (percentComplete !== null) bar.value = percentComplete;
  else bar.removeAttribute('value');
  bar.hidden = percentComplete === null && isFinished(state);
}

/** @param {Step} step @returns {HTMLElement} */
function stepItem(step) {
  const name = element('span', { class: 'step' }, step.name ?? 'Unnamed step');
  const bar = element('progress', { max: 100 });
  nameBy(bar, name);
  fill(bar, step);
  const below = step.operations ?? [];
  return element(
    'li',
    { 'data-state': step.state },
    name,
    ' ',
    element('span', { class: 'state' }, ...stateText(step)),
    bar,
    step.error ? errorText(step.error) : null,
    below.length > 0 ? element('ol', { class: 'steps' }, ...below.map(stepItem)) : null,
  );
}

/** @param {ErrorDetail} error @returns {HTMLElement} */
function errorText({ code, message, details = [] }) {
  return element(
    'div',
    { class: 'error' },
    element('p', {}, [code, message].filter((part) => part).join(': ')),
    details.length > 0
      ? element('ul', {}, ...details.map((detail) => element('li', {}, errorText(detail))))
      : null,
  );
}
