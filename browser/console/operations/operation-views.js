/**
 * The page of all operations, and the page of one.
 *
 * @import { FleetStore } from '../fleet/fleet-store.js'
 * @import { OperationStore } from './operation-store.js'
 * @import { SetTitle, View } from '../router.js'
 * @import { Operation, OperationStep } from '../types.js'
 */
import { element, setText } from '../../dom.js';
import { firstText, formatCount, formatPercent } from '../labels.js';
import { formatRoute } from '../router.js';
import { chip, isFinished, operationStates } from '../states.js';
import { duration } from '../times.js';
import { hasBegun } from './operation-failure.js';
import {
  createOperationList,
  formatPlace,
  formatWhen,
  renderFailure,
  setProgress,
} from './operation-list.js';
import { formatOperation, operationAddress } from './operation-store.js';

/**
 * @param {OperationStore} store
 * @param {FleetStore} fleet
 * @returns {View}
 */
export function createOperationsView(store, fleet) {
  return ([id], signal, setTitle) => {
    setTitle(id === undefined ? 'Operations' : 'Operation');
    return id === undefined ? showAll(store, signal) : showOne(store, fleet, id, signal, setTitle);
  };
}

/** @param {OperationStore} store @param {AbortSignal} signal */
function showAll(store, signal) {
  const summary = element('p', { class: 'summary', role: 'status' });
  const fault = element('p', { class: 'fault', role: 'status' });
  const running = createOperationList();
  const past = createOperationList();
  const runningSection = section('Not finished', running.list);
  const pastSection = section('Finished', past.list);
  const none = element(
    'p',
    { class: 'empty' },
    'No operations. Those that you start are listed here for a week; one that somebody shares with you opens by its link.',
  );
  store.watch(() => {
    const { operations, fault: message, isLoading } = store.snapshot();
    const open = operations.filter(({ state }) => !isFinished(state));
    const now = open.filter(({ state }) => state === 'RUNNING');
    const ended = operations.filter(({ state }) => isFinished(state));
    const failed = ended.filter(({ state }) => state === 'FAILED');
    const finished = [...failed, ...ended.filter((one) => !failed.includes(one))];
    setText(fault, message);
    setText(
      summary,
      isLoading
        ? 'Loading …'
        : `${formatCount(now.length, 'running operation')}, ${ended.length} finished, ${failed.length} of them failed${open.length > now.length ? `, ${open.length - now.length} not read` : ''}`,
    );
    running.show(open);
    past.show(finished);
    runningSection.hidden = open.length === 0;
    pastSection.hidden = finished.length === 0;
    none.hidden = isLoading || operations.length > 0;
  }, signal);
  return { content: [summary, fault, runningSection, pastSection, none] };
}

/** @param {string} name @param {Node} content */
const section = (name, content) => element('section', {}, element('h2', {}, name), content);

/** @param {OperationStore} store @param {FleetStore} fleet @param {string} id @param {AbortSignal} signal @param {SetTitle} setTitle */
function showOne(store, fleet, id, signal, setTitle) {
  const content = element('div', { class: 'panel' }, element('p', {}, 'Loading …'));
  const instance = element('p', { class: 'facts below' });
  let shown = '';
  const showInstance = () => {
    const operation = store.snapshot().operations.find((one) => one.id === id);
    const row = operation && fleet.at(operationAddress(operation));
    if (row && instance.childElementCount === 0)
      instance.replaceChildren(
        element('a', { href: formatRoute('instances', row.nodeId) }, `${row.name} and its health events`),
      );
  };
  fleet.watch(showInstance, signal);
  store.watch(showInstance, signal);
  store.open(id).catch((/** @type {Error} */ { message }) => {
    content.replaceChildren(element('p', { class: 'fault' }, message));
  });
  store.watch(() => {
    const operation = store.snapshot().operations.find((one) => one.id === id);
    const now = JSON.stringify(operation);
    if (!operation || now === shown) return;
    shown = now;
    const title = formatOperation(operation);
    setTitle(title);
    content.replaceChildren(...renderOperation(operation, title));
  }, signal);
  return {
    above: element('p', { class: 'crumbs' }, element('a', { href: '#/operations' }, 'Operations')),
    content: [content, instance],
  };
}

/** @param {Operation} operation @param {string} title */
function renderOperation(operation, title) {
  const bar = element('progress', { max: 100, 'aria-label': title });
  setProgress(bar, operation);
  const failure = renderFailure(operation);
  const steps = operation.operations ?? [];
  return [
    element('p', { class: 'facts' }, ...formatPlace(operation)),
    element(
      'p',
      { class: 'state' },
      chip(operationStates[operation.state], formatPercent(operation.percentComplete)),
    ),
    bar,
    element('p', { class: 'facts' }, ...formatWhen(operation)),
    ...(failure.length > 0 ? [element('div', { class: 'failure' }, ...failure)] : []),
    ...(steps.length > 0 ? [element('h2', {}, 'Steps'), renderSteps(steps)] : []),
  ];
}

/** @param {readonly OperationStep[]} steps @returns {HTMLElement} */
function renderSteps(steps) {
  return element(
    'ol',
    { class: 'steps' },
    ...steps.map((step) => {
      const { name, state, percentComplete, startTime, endTime, operations = [] } = step;
      const took = isFinished(state) && endTime === null ? '' : duration(startTime, endTime);
      const isBegun = hasBegun(step);
      return element(
        'li',
        {},
        element(
          'div',
          { class: 'step' },
          element('span', {}, firstText(name, 'Unnamed step')),
          element('small', {}, took),
          isBegun
            ? chip(operationStates[state], isFinished(state) ? '' : formatPercent(percentComplete))
            : chip({ tone: 'off', word: 'Not started' }),
        ),
        operations.length > 0 ? renderSteps(operations) : null,
      );
    }),
  );
}
