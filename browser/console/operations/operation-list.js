/**
 * Operations as a list, each with its progress, or with where and why it failed.
 *
 * @import { Operation, OperationStep } from '../types.js'
 */
import { createKeyedList, element, joinIsolated } from '../../dom.js';
import { formatPercent, kindNames } from '../labels.js';
import { formatRoute } from '../router.js';
import { chip, operationStates } from '../states.js';
import { duration, time } from '../times.js';
import { currentStep, describeFailure } from './operation-failure.js';
import { formatOperation } from './operation-store.js';

export const createOperationList = () => createKeyedList('operations', ({ id }) => id, createItem);

function createItem() {
  const link = element('a');
  const where = element('p', { class: 'facts' });
  const state = element('p', { class: 'state' });
  const when = element('p', { class: 'facts when' });
  const bar = element('progress', { max: 100 });
  const failure = element('div', { class: 'failure', hidden: true });
  const item = element('li', {}, element('h3', {}, link), where, state, when, bar, failure);
  /** @param {Operation} operation */
  const showValue = (operation) => {
    const title = formatOperation(operation);
    item.dataset.tone = operationStates[operation.state].tone;
    item.setAttribute('aria-label', title);
    link.href = formatRoute('operations', operation.id);
    link.textContent = title;
    where.replaceChildren(...formatPlace(operation));
    state.replaceChildren(
      chip(
        operationStates[operation.state],
        operation.state === 'RUNNING' ? formatPercent(operation.percentComplete) : '',
      ),
    );
    when.replaceChildren(...formatWhen(operation));
    bar.setAttribute('aria-label', title);
    setProgress(bar, operation);
    failure.replaceChildren(...renderFailure(operation));
    failure.hidden = failure.childElementCount === 0;
  };
  return { item, showValue };
}

/** @param {Operation} operation */
export const formatPlace = ({ instanceKind, virtualInstanceName, resourceGroupName }) =>
  joinIsolated([
    instanceKind ? kindNames[instanceKind] : '',
    virtualInstanceName ?? '',
    resourceGroupName ?? '',
  ]);

/** @param {Operation} operation */
export function formatWhen(operation) {
  const { requestedAt, startTime, endTime, state } = operation;
  const isRunning = state === 'RUNNING';
  const took = isRunning || endTime !== null ? duration(startTime ?? requestedAt, endTime) : '';
  const step = isRunning && currentStep(operation);
  return [
    'Started ',
    time(startTime ?? requestedAt),
    ...(took === '' ? [] : [isRunning ? ' · running for ' : ' · took ', took]),
    ...(step ? [` · ${step}`] : []),
  ];
}

/**
 * A bar without a value is indeterminate: the operation runs, but its progress is unknown.
 *
 * @param {HTMLProgressElement} bar
 * @param {OperationStep} step
 */
export function setProgress(bar, { state, percentComplete }) {
  if (percentComplete !== null) bar.value = percentComplete;
  else bar.removeAttribute('value');
  bar.hidden = state !== 'RUNNING';
}

/** @param {Operation} operation */
export function renderFailure(operation) {
  const { path, messages } = describeFailure(operation);
  return [
    ...(path.length > 0
      ? [element('p', {}, 'Failed step: ', element('strong', {}, ...joinIsolated(path, ' › ')))]
      : []),
    ...messages.map(({ code, message }) =>
      element('p', {}, code ? element('code', {}, code) : null, code && message ? ' ' : null, message),
    ),
  ];
}
