/**
 * The page of an instance: its properties, its operations, and what can be done with it.
 *
 * @import { Row } from './fleet-rows.js'
 * @import { OperationStore } from '../operations/operation-store.js'
 * @import { View } from '../router.js'
 * @import { Action, ErrorDetail, InstanceNode } from '../types.js'
 */

import { button, element, joinIsolated, setText } from '../../dom.js';
import { instance as readInstance } from '../documents.js';
import { ask, errorMessages } from '../graph.js';
import { formatWord, kindNames } from '../labels.js';
import { listMessages } from '../operations/operation-failure.js';
import { createOperationList } from '../operations/operation-list.js';
import { chip, instanceState, isFinished } from '../states.js';
import { time } from '../times.js';
import { addressOf, readRow } from './fleet-rows.js';
import { createInstanceHealth } from './instance-health.js';

/**
 * @param {{ operations: OperationStore, act: (action: Action, rows: readonly Row[]) => Promise<void> }} given
 * @returns {View}
 */
export function createInstanceView({ operations, act }) {
  return ([nodeId = ''], signal, setTitle) => {
    setTitle('Instance');
    const head = element('div', { class: 'panel' }, element('p', {}, 'Loading …'));
    const properties = element('div', {});
    const { list, show } = createOperationList();
    const none = element('p', { class: 'empty' }, 'No operations of yours on this instance.');
    const fault = element('p', { class: 'fault', role: 'status' });
    /** @type {Row | null} */
    let row = null;

    let running = 0;
    const showOperations = () => {
      if (row === null) return;
      const mine = operations.of(addressOf(row));
      show(mine);
      none.hidden = mine.length > 0;
      const before = running;
      running = mine.filter(({ state }) => !isFinished(state)).length;
      // Once an operation of it has ended, its status is another one.
      if (running < before) void load();
    };
    const load = async () => {
      const { data, errors } = await ask(readInstance, { nodeId });
      if (signal.aborted) return;
      const node = data?.node ?? null;
      setText(fault, errorMessages(errors) || (node ? '' : 'There is no such instance.'));
      if (node === null) return head.replaceChildren();
      row = readRow(node, node.nodeId, node.environment === 'Prod');
      setTitle(row.name);
      head.replaceChildren(...renderHead(row, (action) => act(action, row ? [row] : [])));
      properties.replaceChildren(renderProperties(node));
      showOperations();
    };
    void load();
    operations.watch(showOperations, signal);

    return {
      above: element('p', { class: 'crumbs' }, element('a', { href: '#/fleet' }, 'Fleet')),
      content: [
        fault,
        head,
        element(
          'div',
          { class: 'columns' },
          element(
            'div',
            {},
            element('section', {}, element('h2', {}, 'Operations'), list, none),
            element('section', {}, element('h2', {}, 'Health'), createInstanceHealth(nodeId, signal)),
          ),
          element('section', {}, element('h2', {}, 'Properties'), properties),
        ),
      ],
    };
  };
}

/** @param {Row} row @param {(action: Action) => void} act */
function renderHead(row, act) {
  return [
    element(
      'p',
      { class: 'facts' },
      ...joinIsolated([
        kindNames[row.kind],
        row.virtualInstanceName,
        row.resourceGroupName,
        row.subscriptionId,
      ]),
    ),
    element(
      'p',
      { class: 'chips' },
      chip(instanceState(row.status)),
      row.kind === 'DATABASE_INSTANCE' ? null : chip(instanceState(row.health)),
      row.isProduction ? element('span', { class: 'badge' }, 'Production') : null,
    ),
    element(
      'p',
      { class: 'acts' },
      button('Stop …', () => act('STOP'), { class: 'danger outlined' }),
      button('Start …', () => act('START')),
    ),
  ];
}

const shownElsewhere = ['__typename', 'nodeId', 'status', 'health'];

/** @param {InstanceNode} node */
function renderProperties(node) {
  const entries = Object.entries(node).filter(
    ([name, value]) => !shownElsewhere.includes(name) && value !== null,
  );
  return element(
    'dl',
    { class: 'properties' },
    ...entries.flatMap(([name, value]) => {
      const rendered = renderValue(name, value);
      return rendered === null
        ? []
        : [element('div', {}, element('dt', {}, formatName(name)), element('dd', {}, rendered))];
    }),
  );
}

/** "kernelVersion" becomes "Kernel version". @param {string} name */
const formatName = (name) =>
  formatWord(name).replace(/\b(id|ip|sid|http|https)\b/gi, (word) => word.toUpperCase());

/**
 * @param {string} name
 * @param {unknown} value
 * @returns {Node | string | null} null when there is nothing to show
 */
function renderValue(name, value) {
  if (name.endsWith('At') && typeof value === 'string') return time(value);
  if (name === 'error')
    return listMessages(/** @type {ErrorDetail} */ (value))
      .map(({ code, message }) => [code, message].filter(Boolean).join(': '))
      .join('\n');
  if (name === 'environment' || name === 'state') return formatWord(String(value));
  if (name === 'virtualMachines' && Array.isArray(value))
    return value.map((one) => String(one?.virtualMachineId ?? '')).join('\n') || null;
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = Object.entries(value).map(
    ([key, one]) => `${key}: ${typeof one === 'object' ? JSON.stringify(one) : one}`,
  );
  return parts.join('\n') || null;
}
