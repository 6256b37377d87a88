/**
 * The fleet as a table. Rows are built as they are shown, some at a time; those that stay are updated in place.
 *
 * @import { Match, Row, SortKey } from './fleet-rows.js'
 * @import { Selection } from './selection.js'
 * @import { Operation } from '../types.js'
 */
import { button, element, joinIsolated, setChildren, setText } from '../../dom.js';
import { formatPercent, kindNames } from '../labels.js';
import { formatOperation } from '../operations/operation-store.js';
import { formatRoute } from '../router.js';
import { chip, instanceState, isFinished, operationStates } from '../states.js';

/** How many rows are shown at first, and more at a time. */
const step = 100;

/** @type {readonly [string, SortKey | null][]} */
const columns = [
  ['Name', 'name'],
  ['Kind', null],
  ['Status', 'status'],
  ['Health', 'health'],
  ['Details', null],
  ['Last operation', 'operation'],
];

/**
 * @param {{
 *   selection: Selection, lastOperation: (row: Row) => Operation | undefined,
 *   sort: { key: SortKey | null, isDescending: boolean }, onSort: () => void, signal: AbortSignal,
 * }} given `sort` is changed by the headings, which then call `onSort`
 */
export function createFleetTable({ selection, lastOperation, sort, onSort, signal }) {
  const all = element('input', { type: 'checkbox' });
  const count = element('span');
  const selectAll = element('label', { class: 'acts all' }, all, count);
  const headings = columns.map(([name, key]) => {
    const choose = () => {
      sort.isDescending = sort.key === key && !sort.isDescending;
      sort.key = key;
      showSort();
      onSort();
    };
    return {
      key,
      heading: element(
        'th',
        { scope: 'col' },
        key === null ? name : button(name, choose, { class: 'quiet' }),
      ),
    };
  });
  const showSort = () => {
    for (const { key, heading } of headings)
      if (key !== null && key === sort.key)
        heading.setAttribute('aria-sort', sort.isDescending ? 'descending' : 'ascending');
      else heading.removeAttribute('aria-sort');
  };
  showSort();
  const head = element(
    'tr',
    {},
    element('td', { class: 'check' }),
    ...headings.map(({ heading }) => heading),
  );
  const table = element(
    'table',
    { class: 'fleet' },
    element('caption', { class: 'unseen' }, 'Virtual instances and their components'),
    element('thead', {}, head),
  );
  const more = button('', () => {
    limit += step;
    show(matches);
  });
  const place = element('div', { class: 'table' }, table, more);

  let limit = step;
  /** @type {readonly Match[]} */
  let matches = [];
  /** The rows that match. @type {string[]} */
  let found = [];
  /** Those of them that the table has. @type {string[]} */
  let shown = [];
  /** @type {Map<string, ReturnType<typeof createRow>>} */
  const rows = new Map();
  /** @type {Map<string, HTMLTableSectionElement>} */
  const bodies = new Map();

  const showSelection = () => {
    const selected = found.filter(selection.has).length;
    all.checked = selected > 0 && selected === found.length;
    all.indeterminate = selected > 0 && selected < found.length;
    setText(count, `Select all ${found.length.toLocaleString()}`);
    selectAll.hidden = found.length === 0;
    for (const [key, row] of rows) row.setSelected(selection.has(key));
  };
  all.addEventListener('change', () => selection.set(found, all.checked));
  selection.watch(showSelection, signal);

  /** @param {Row} row */
  const rowOf = (row) => {
    const known =
      rows.get(row.nodeId) ?? createRow(row, (isSelected) => selection.set([row.nodeId], isSelected));
    rows.set(row.nodeId, known);
    known.update(row, lastOperation(row));
    return known.line;
  };

  /** @param {readonly Match[]} given */
  const show = (given) => {
    matches = given;
    shown = [];
    found = [];
    let left = limit;
    /** @type {HTMLElement[]} */
    const groups = [];
    for (const { system, isMatch, components } of matches) {
      const matching = isMatch ? [system.row, ...components] : components;
      found.push(...matching.map(({ nodeId }) => nodeId));
      if (left <= 0) continue;
      const visible = matching.slice(0, left);
      left -= visible.length;
      shown.push(...visible.map(({ nodeId }) => nodeId));
      const body = bodies.get(system.row.nodeId) ?? element('tbody');
      bodies.set(system.row.nodeId, body);
      setChildren(body, [...(isMatch ? [] : [contextOf(system.row)]), ...visible.map(rowOf)]);
      groups.push(body);
    }
    const kept = new Set(shown);
    for (const key of rows.keys()) if (!kept.has(key)) rows.delete(key);
    setChildren(table, [...table.querySelectorAll('caption, thead'), ...groups]);
    const unshown = found.length - shown.length;
    more.textContent = `Show ${Math.min(step, unshown)} more of ${unshown}`;
    more.hidden = unshown === 0;
    showSelection();
    return found.length;
  };

  // More rows come before the end is reached, and by the button without a pointer. Not by an IntersectionObserver: it has been
  // seen to report nothing of a button that fast scrolling brings back into view.
  addEventListener(
    'scroll',
    () => {
      while (more.isConnected && !more.hidden && more.getBoundingClientRect().top < innerHeight + 400) {
        limit += step;
        show(matches);
      }
    },
    { passive: true, signal },
  );

  return {
    place,
    selectAll,
    show,
    /** Shows the first rows only, as for a new filter. */
    restart() {
      limit = step;
    },
  };
}

const badge = () => element('span', { class: 'badge' }, 'Production');

/** The heading above components whose virtual instance is not itself among the rows. @param {Row} row */
const contextOf = (row) =>
  element(
    'tr',
    { class: 'context' },
    element('td'),
    element(
      'th',
      { scope: 'rowgroup', colspan: columns.length },
      element('a', { href: formatRoute('instances', row.nodeId) }, row.name),
      row.isProduction ? badge() : null,
      ' ',
      element('small', {}, row.resourceGroupName),
    ),
  );

/**
 * @param {Row} first
 * @param {(isSelected: boolean) => void} onSelect
 */
function createRow(first, onSelect) {
  const isSystem = first.kind === 'VIRTUAL_INSTANCE';
  const check = element('input', {
    type: 'checkbox',
    'aria-label': isSystem ? `Select ${first.name}` : `Select ${first.name} of ${first.virtualInstanceName}`,
  });
  check.addEventListener('change', () => onSelect(check.checked));

  const under = element('small', { class: 'under' });
  const [kind, status, health, details, last] = ['kind', 'status', 'health', 'details', 'last'].map((name) =>
    element('td', { class: name }),
  );
  const line = element(
    'tr',
    { class: isSystem ? 'system' : 'component' },
    element('td', { class: 'check' }, element('label', {}, check)),
    element(
      'th',
      { scope: 'row' },
      element('a', { href: formatRoute('instances', first.nodeId) }, first.name),
      isSystem && first.isProduction ? badge() : null,
      ' ',
      isSystem ? element('small', {}, first.resourceGroupName) : under,
    ),
    ...[kind, status, health, details, last].filter((cell) => cell !== undefined),
  );
  /** @type {Row | null} */
  let shownRow = null;
  /** @type {Operation | undefined} */
  let shownOperation;
  return {
    line,
    /** @param {boolean} isSelected */
    setSelected(isSelected) {
      check.checked = isSelected;
      line.classList.toggle('selected', isSelected);
    },
    /** @param {Row} row @param {Operation | undefined} operation */
    update(row, operation) {
      if (row === shownRow && operation === shownOperation) return;
      shownRow = row;
      shownOperation = operation;
      kind?.replaceChildren(kindNames[row.kind]);
      status?.replaceChildren(chip(instanceState(row.status)));
      // Databases have no health of their own.
      const reported = row.kind === 'DATABASE_INSTANCE' ? null : instanceState(row.health);
      health?.replaceChildren(reported ? chip(reported) : '');
      details?.replaceChildren(...joinIsolated(row.facts));
      last?.replaceChildren(...(operation ? [operationLink(operation)] : []));
      under.replaceChildren(
        kindNames[row.kind],
        element('span', {}, reported && reported.tone !== 'good' ? ` · ${reported.word}` : ''),
      );
    },
  };
}

/** @param {Operation} operation */
function operationLink(operation) {
  const { tone, word } = operationStates[operation.state];
  const verb = operation.action === 'STOP' ? 'Stop' : 'Start';
  const more = isFinished(operation.state)
    ? word.toLowerCase()
    : formatPercent(operation.percentComplete) || 'running';
  return element(
    'a',
    {
      class: 'chip',
      'data-tone': tone,
      href: formatRoute('operations', operation.id),
      title: formatOperation(operation),
    },
    `${verb} ${more}`,
  );
}
