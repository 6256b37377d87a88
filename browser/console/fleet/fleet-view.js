/**
 * The page of the fleet: search, filters, the table, and what is done with the selected instances.
 *
 * @import { Row, SortKey, System } from './fleet-rows.js'
 * @import { FleetStore } from './fleet-store.js'
 * @import { OperationStore } from '../operations/operation-store.js'
 * @import { View } from '../router.js'
 * @import { Selection } from './selection.js'
 * @import { Subscriptions } from '../subscriptions.js'
 * @import { Action, Operation } from '../types.js'
 */
import { button, element, select, setText } from '../../dom.js';
import { formatCount, formatWord, kindNames } from '../labels.js';
import { operationAddress } from '../operations/operation-store.js';
import { chip, instanceState, instanceStatuses } from '../states.js';
import { createSubscriptionPicker } from '../subscription-picker.js';
import { time } from '../times.js';
import { addressOf, filterFleet, sortFleet } from './fleet-rows.js';
import { createFleetTable } from './fleet-table.js';

/**
 * @param {{
 *   fleet: FleetStore, operations: OperationStore, selection: Selection, subscriptions: Subscriptions,
 *   act: (action: Action, rows: readonly Row[]) => Promise<void>,
 * }} given
 * @returns {View}
 */
export function createFleetView({ fleet, operations, selection, subscriptions, act }) {
  // Kept while other pages are shown.
  const filter = { text: '', kind: '', status: '' };
  /** @type {{ key: SortKey | null, isDescending: boolean }} */
  const sort = { key: null, isDescending: false };

  return (_parameters, signal, setTitle) => {
    setTitle('Fleet');
    const search = element('input', {
      type: 'search',
      placeholder: 'Search name, host, group …',
      'aria-label': 'Search',
      autocomplete: 'off',
      spellcheck: 'false',
      value: filter.text,
    });
    const kind = select('Kind', [['', 'All kinds'], ...Object.entries(kindNames)], filter.kind);
    const status = select(
      'Status',
      [['', 'All statuses'], ...instanceStatuses.map((value) => [value, formatWord(value)])],
      filter.status,
    );
    const refresh = button('Refresh', () => fleet.load(subscriptions.chosen()));
    const summary = element('p', { class: 'summary', role: 'status' });
    const readAt = element('span', { class: 'facts' });
    const loading = element('progress', { 'aria-label': 'Loading the fleet', hidden: true });
    const fault = element('p', { class: 'fault', role: 'status' });
    const none = element('p', { class: 'empty', hidden: true });

    const totals = element('p', { class: 'chips totals' });
    /** @type {Map<string, Operation>} */
    let latest = new Map();
    const lastOperation = (/** @type {Row} */ row) => latest.get(addressOf(row));
    const { place, selectAll, show, restart } = createFleetTable({
      selection,
      lastOperation,
      sort,
      onSort: () => change(),
      signal,
    });
    const bar = createSelectionBar(fleet, selection, act, signal);

    const update = () => {
      const { systems, faults, isLoading, read, readAt: at } = fleet.snapshot();
      latest = new Map(
        operations
          .snapshot()
          .operations.toReversed()
          .map((one) => [operationAddress(one), one]),
      );
      const matches = filterFleet(systems, filter);
      const found = show(sortFleet(matches, sort, (row) => lastOperation(row)?.requestedAt ?? ''));
      totals.replaceChildren(...countStates(systems));
      const count = systems.reduce((sum, { components }) => sum + 1 + components.length, 0);
      const isFiltered = Object.values(filter).some((value) => value !== '');
      setText(
        summary,
        isFiltered
          ? `${found.toLocaleString()} of ${formatCount(count, 'instance')}`
          : `${formatCount(systems.length, 'virtual instance')}, ${formatCount(count - systems.length, 'component')}`,
      );
      const missing = systems.flatMap(({ row, missing: more }) =>
        more > 0 ? [`${formatCount(more, 'more component')} of ${row.name} not listed here.`] : [],
      );
      setText(fault, [...faults, ...missing].join(' '));
      loading.hidden = !isLoading;
      if (systems.length > 0) {
        loading.max = systems.length;
        loading.value = read;
      }
      readAt.replaceChildren(...(isLoading || at === null ? [] : ['Read ', time(at.toISOString())]));
      place.hidden = found === 0;
      none.hidden = found > 0 || isLoading;
      setText(
        none,
        subscriptions.chosen().length === 0
          ? 'Choose a subscription to see its virtual instances.'
          : count > 0
            ? 'Nothing matches. Change the search or the filters.'
            : 'There is no virtual instance in this subscription that you may see.',
      );
    };

    const change = () => {
      filter.text = search.value;
      filter.kind = kind.value;
      filter.status = status.value;
      restart();
      update();
    };
    for (const control of [search, kind, status]) control.addEventListener('input', change);
    fleet.watch(update, signal);
    operations.watch(update, signal);

    return {
      content: [
        createSubscriptionPicker(subscriptions, signal),
        element('div', { class: 'toolbar', role: 'search' }, search, kind, status, refresh),
        totals,
        element('div', { class: 'line' }, selectAll, summary, readAt, loading),
        fault,
        place,
        none,
        bar,
      ],
    };
  };
}

/** How many instances of the whole fleet are in the states that an operator looks for. @param {readonly System[]} systems */
function countStates(systems) {
  const rows = systems.flatMap(({ row, components }) => [row, ...components]);
  const states = rows.flatMap(({ status, health }) => [status, health]);
  return (rows.length > 0 ? ['Running', 'Offline', 'Degraded', 'Unhealthy'] : []).map((state) => {
    const count = states.filter((one) => one === state).length;
    const { tone, word } = instanceState(state);
    return chip({ tone: count > 0 ? tone : 'off', word: `${count.toLocaleString()} ${word.toLowerCase()}` });
  });
}

/**
 * @param {FleetStore} fleet
 * @param {Selection} selection
 * @param {(action: Action, rows: readonly Row[]) => Promise<void>} act
 * @param {AbortSignal} signal
 */
function createSelectionBar(fleet, selection, act, signal) {
  const count = element('span', { role: 'status' });
  const run = async (/** @type {Action} */ action) => {
    await act(action, fleet.find(selection.keys()));
  };
  const bar = element(
    'div',
    { class: 'selection', role: 'group', 'aria-label': 'Selected instances' },
    count,
    button('Stop …', () => run('STOP'), { class: 'danger outlined' }),
    button('Start …', () => run('START')),
    button('Clear', () => selection.clear(), { class: 'quiet' }),
  );
  selection.watch(() => {
    const selected = selection.keys().length;
    bar.hidden = selected === 0;
    setText(count, selected === 0 ? '' : `${selected.toLocaleString()} selected`);
  }, signal);
  return bar;
}
