/**
 * What can be requested: records, instances, health events and users, and what each is for.
 *
 * @import { OpenSample } from './sample.js'
 * @import { Contents, Instance, RecordSet } from './types.js'
 */
import { button, byId, element } from '../dom.js';
import { matchesFilter } from './labels.js';

/** @type {Readonly<Record<string, string>>} */
const outcomeTones = { Succeeds: 'good', Fails: 'error', Rejected: 'warning', 'Never ends': 'busy' };

/**
 * @param {OpenSample} openSample
 * @returns {(contents: Contents) => void} shows other contents
 */
export function createContents(openSample) {
  const company = element('select', { 'aria-label': 'Company' });
  const records = element('div', { class: 'rows' });
  const search = createSearch('Search instances');
  const instances = element('div', { class: 'rows' });
  const events = element('div', { class: 'rows' });
  const users = element('div');
  const eventSearch = createSearch('Search events');
  /** @type {Contents | null} */
  let shown = null;

  byId('contents-panels', HTMLElement).replaceChildren(
    createPanel('Business Records (A)', element('div', { class: 'toolbar' }, company), records),
    createPanel('Instance Control (B)', element('div', { class: 'toolbar' }, search), instances),
    createPanel('Health Events (C)', element('div', { class: 'toolbar' }, eventSearch), events),
    createPanel('Users', users),
  );

  /** @param {string} label @param {string} title @param {string} path */
  const link = (label, title, path) =>
    button(label, () => openSample(title, path), { class: 'link', 'aria-haspopup': 'dialog', title: path });

  /** @param {RecordSet} set */
  const setRow = ({ name, records: count, writes, path }) => [
    link(name, name, path),
    count.toLocaleString(),
    writes.length === 0 ? 'Read only' : writes.join(' '),
  ];

  /** @param {Instance} instance */
  const instanceRow = ({ name, description, outcome, status, path }) => [
    link(name, name, path),
    element('span', { class: 'chip', 'data-tone': outcomeTones[outcome] ?? 'off' }, outcome),
    `${description ?? 'Set by a program.'}${status === 'Running' ? '' : ` · ${status}`}`,
  ];

  function showRecords() {
    const chosen = shown?.companies.find(({ id }) => id === company.value);
    const odd = chosen === shown?.companies[0] ? (shown?.oddRecords ?? []) : [];
    records.replaceChildren(
      createTable('Record sets', ['Set', 'Records', 'Writes'], (chosen?.sets ?? []).map(setRow)),
      ...odd.map(({ set, description, path }) =>
        element('p', { class: 'note' }, 'Special in ', link(set, set, path), `: ${description}`),
      ),
    );
  }

  function showInstances() {
    if (!shown) return;
    const found = shown.instances.filter(({ name, description, outcome }) =>
      matchesFilter(`${name} ${description} ${outcome}`, search.value.trim()),
    );
    instances.replaceChildren(
      createTable(
        'Virtual instances',
        ['Virtual instance', 'Application servers', 'Other'],
        shown.virtualInstances.map((one) => [
          link(one.name, one.name, one.path),
          one.applicationInstances.toLocaleString(),
          `${one.centralInstances} central, ${one.databaseInstances} database${one.failsAt ? ` · fails at ${one.failsAt}` : ''}`,
        ]),
      ),
      element(
        'p',
        { class: 'note' },
        'The instances of N01 are named for what a stop or start of them does. All others: ',
        shown.defaultDescription,
        '.',
      ),
      createTable('Instances of N01', ['Instance', 'A stop', 'What is special'], found.map(instanceRow)),
    );
  }

  function showEvents() {
    const found = (shown?.events ?? []).filter(({ trackingId, title, description }) =>
      matchesFilter(`${trackingId} ${title} ${description}`, eventSearch.value.trim()),
    );
    events.replaceChildren(
      createTable(
        'Health events',
        ['Event', 'What is special'],
        found.map(({ trackingId, title, description, isBeyondDocument, path }) => [
          link(trackingId, trackingId, path),
          element(
            'span',
            {},
            description ?? 'Set by a program.',
            isBeyondDocument ? element('span', { class: 'badge' }, 'Not in the document') : null,
            title === null ? null : element('small', { class: 'title' }, title),
          ),
        ]),
      ),
    );
  }

  company.addEventListener('change', showRecords);
  search.addEventListener('input', showInstances);
  eventSearch.addEventListener('input', showEvents);

  return (contents) => {
    const isFirst = shown === null;
    if (JSON.stringify(shown) === JSON.stringify(contents)) return;
    shown = contents;
    if (isFirst || company.options.length !== contents.companies.length)
      company.replaceChildren(
        ...contents.companies.map(({ id, name }) => element('option', { value: id }, name)),
      );
    const focus = rememberFocus();
    showRecords();
    showInstances();
    showEvents();
    users.replaceChildren(
      createTable(
        'Users',
        ['Name', 'Rights'],
        contents.users.map(({ name, description }) => [name, description]),
      ),
      element('p', { class: 'note' }, contents.tokens),
    );
    focus();
  };
}

/** Gives the focus back to the link with the same name, once tables are made anew. */
function rememberFocus() {
  const { activeElement } = document;
  const table = activeElement?.closest('table')?.caption?.textContent;
  const label = activeElement?.textContent;
  return () => {
    if (table === undefined || activeElement?.isConnected) return;
    const tables = [...document.querySelectorAll('table')].filter(
      (one) => one.caption?.textContent === table,
    );
    const same = tables
      .flatMap((one) => [...one.querySelectorAll('button')])
      .find((one) => one.textContent === label);
    same?.focus({ preventScroll: true });
  };
}

/** @param {string} label */
const createSearch = (label) =>
  element('input', {
    type: 'search',
    'aria-label': label,
    placeholder: label,
    spellcheck: 'false',
    autocomplete: 'off',
  });

/** @param {string} title @param {readonly Node[]} content */
const createPanel = (title, ...content) =>
  element('section', { class: 'panel', 'aria-label': title }, element('h3', {}, title), ...content);

/** The first cell of a row is its heading. @param {string} caption @param {readonly string[]} columns @param {readonly (readonly (Node | string)[])[]} rows */
function createTable(caption, columns, rows) {
  if (rows.length === 0) return element('p', { class: 'note' }, 'Nothing matches.');
  return element(
    'table',
    {},
    element('caption', { class: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, ...columns.map((name) => element('th', { scope: 'col' }, name)))),
    element(
      'tbody',
      {},
      ...rows.map(([first = '', ...rest]) =>
        element(
          'tr',
          {},
          element('th', { scope: 'row' }, first),
          // Where rows are stacked, a number and a word need the heading of their column.
          ...rest.map((cell, at) =>
            element(
              'td',
              {
                'data-column': rest.length > 1 && typeof cell === 'string' ? (columns[at + 1] ?? null) : null,
              },
              cell,
            ),
          ),
        ),
      ),
    ),
  );
}
