/**
 * An operation as it is shown: how it stands, how far it is, its steps and the steps within them.
 *
 * @import { ErrorDetail, Operation, Place, Step } from './documents.js'
 * @import { Fault } from './graph.js'
 * @import { Kept } from './kept.js'
 */
import { element, say, time } from './element.js';
import { faultText } from './graph.js';
import { isFinished, listed, percentText, sharedAddress, states } from './words.js';

/** What an operation is called. @param {Kept} entry */
export function nameOf({ action, place }) {
  if (action === null || place === null) return 'Operation';
  return `${action === 'stop' ? 'Stop' : 'Start'} of ${place.applicationInstanceName}`;
}

/**
 * @param {Kept} entry
 * @param {() => void} dismiss
 */
export function createCard(entry, dismiss) {
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
