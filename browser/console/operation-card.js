/**
 * The card of an operation: its state, its progress and its nested steps.
 *
 * @import { ErrorDetail, Operation, Place, Step } from './documents.js'
 * @import { GraphError } from './graph.js'
 * @import { SavedOperation } from './saved-operations.js'
 */
import { element, setText, time } from './dom.js';
import { errorMessages } from './graph.js';
import { formatPercent, formatShareLink, isFinished, joinParts, states } from './labels.js';

/** @param {SavedOperation} entry */
export function formatOperationName({ action, place }) {
  if (action === null || place === null) return 'Operation';
  return `${action === 'stop' ? 'Stop' : 'Start'} of ${place.applicationInstanceName}`;
}

/**
 * @param {SavedOperation} entry
 * @param {() => void} dismiss
 */
export function createCard(entry, dismiss) {
  const heading = element('h3', {}, formatOperationName(entry));
  const where = element(
    'p',
    { class: 'where' },
    entry.place ? formatPlace(entry.place) : 'Followed by handle',
  );
  const state = element('p', { class: 'state' }, 'Loading …');
  const bar = element('progress', { max: 100 });
  const facts = element('p', { class: 'facts' });
  const trouble = element('div', { class: 'fault', hidden: true });
  const steps = element('ol', { class: 'steps' });
  const link = element('a', { href: formatShareLink(entry.id) }, 'Share link');
  const button = element('button', { type: 'button', class: 'quiet' }, 'Remove');
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
  const show = (operation) => {
    card.dataset.state = operation.state;
    setText(heading, entry.action === null && operation.name ? operation.name : formatOperationName(entry));
    state.replaceChildren(...renderState(operation));
    setProgress(bar, operation);
    facts.replaceChildren(
      'Started ',
      time(operation.startTime),
      ...(operation.endTime ? [', ended ', time(operation.endTime)] : []),
    );
    trouble.replaceChildren(...(operation.error ? [renderError(operation.error)] : []));
    trouble.hidden = !operation.error;
    steps.replaceChildren(...(operation.operations ?? []).map(renderStep));
  };

  /** @param {readonly GraphError[]} errors */
  const fail = (errors) => {
    card.dataset.state = 'FAULT';
    bar.hidden = true;
    state.replaceChildren('Progress unavailable');
    trouble.replaceChildren(element('p', {}, errorMessages(errors)));
    trouble.hidden = false;
  };
  return { card, show, fail };
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
export const formatPlace = ({ resourceGroupName, virtualInstanceName, subscriptionId }) =>
  joinParts([virtualInstanceName, resourceGroupName, subscriptionId]);

/** @param {Step} step */
function renderState({ state, percentComplete }) {
  const { mark, word } = states[state];
  const percent = formatPercent(percentComplete);
  return [element('span', { class: 'mark', 'aria-hidden': 'true' }, mark), ` ${joinParts([word, percent])}`];
}

/**
 * A bar without a value is indeterminate: the operation runs, but its progress is unknown.
 *
 * @param {HTMLProgressElement} bar
 * @param {Step} step
 */
function setProgress(bar, { state, percentComplete }) {
  if (percentComplete !== null) bar.value = percentComplete;
  else bar.removeAttribute('value');
  bar.hidden = percentComplete === null && isFinished(state);
}

/** @param {Step} step @returns {HTMLElement} */
function renderStep(step) {
  const name = element('span', { class: 'step' }, step.name ?? 'Unnamed step');
  const bar = element('progress', { max: 100 });
  nameBy(bar, name);
  setProgress(bar, step);
  const below = step.operations ?? [];
  return element(
    'li',
    { 'data-state': step.state },
    name,
    ' ',
    element('span', { class: 'state' }, ...renderState(step)),
    bar,
    step.error ? renderError(step.error) : null,
    below.length > 0 ? element('ol', { class: 'steps' }, ...below.map(renderStep)) : null,
  );
}

/** @param {ErrorDetail} error @returns {HTMLElement} */
function renderError({ code, message, details = [] }) {
  return element(
    'div',
    { class: 'error' },
    element('p', {}, [code, message].filter((part) => part).join(': ')),
    details.length > 0
      ? element('ul', {}, ...details.map((detail) => element('li', {}, renderError(detail))))
      : null,
  );
}
