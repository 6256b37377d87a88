/**
 * A request of the journal: a line, which opens to show all of it.
 *
 * @import { JournalEntry } from './types.js'
 */
import { element } from '../dom.js';
import { areaNames, describeCaller, describeStatus, formatKind, shortenPath } from './labels.js';

const timeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});

/**
 * @param {JournalEntry} entry
 * @param {ReadonlyMap<string, string>} callers names by the digests of their tokens
 */
export function createRow(entry, callers) {
  const details = element('details', { class: 'request' }, createSummary(entry, callers));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(createBody(entry, callers));
  });
  return { entry, node: element('li', {}, details), details };
}

/** @param {JournalEntry} entry @param {ReadonlyMap<string, string>} callers */
function createSummary(entry, callers) {
  const { at, method, path, area, durationMs, isPending, fault, chaos, parts } = entry;
  const { word, tone } = describeStatus(entry);
  const kind = fault ?? chaos;
  return element(
    'summary',
    {},
    element('time', { datetime: at }, timeOfDay.format(new Date(at))),
    element('span', { class: 'method' }, method),
    element('code', { class: 'path', title: path }, shortenPath(path)),
    element(
      'span',
      { class: 'outcome' },
      element('span', { class: 'chip', 'data-tone': tone }, word),
      kind === undefined ? null : element('span', { class: 'badge' }, formatKind(kind)),
    ),
    element('span', { class: 'duration' }, isPending ? '' : `${durationMs} ms`),
    element(
      'span',
      { class: 'area' },
      areaNames[area ?? ''] ?? 'Unknown path',
      parts ? ` · ${parts.length} parts` : '',
    ),
    element('span', { class: 'caller' }, describeCaller(entry, callers)),
  );
}

/** @param {JournalEntry} entry @param {ReadonlyMap<string, string>} callers */
function createBody(entry, callers) {
  const { at, path, headers, body, parts = [], fault, chaos } = entry;
  /** @type {readonly (readonly [string, string | null])[]} */
  const facts = [
    ['Path', path],
    ['Time', at],
    ['Caller', describeCaller(entry, callers)],
    ['Fault', fault ? formatKind(fault) : null],
    ['Random fault', chaos ? formatKind(chaos) : null],
  ];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return element(
    'div',
    { class: 'entry' },
    element(
      'dl',
      {},
      ...facts.flatMap(([name, value]) =>
        value === null ? [] : [element('dt', {}, name), element('dd', {}, value)],
      ),
    ),
    ...(parts.length === 0 ? [] : [element('h3', {}, 'Parts'), createParts(parts)]),
    element('h3', {}, 'Headers'),
    element('pre', {}, lines.join('\n')),
    ...(body === '' ? [] : [element('h3', {}, 'Body'), element('pre', {}, formatBody(body))]),
  );
}

/** @param {NonNullable<JournalEntry['parts']>} parts */
const createParts = (parts) =>
  element(
    'ol',
    { class: 'parts' },
    ...parts.map(({ method, path, status, chaos }) =>
      element(
        'li',
        { class: 'part' },
        `${method} `,
        element('code', {}, path),
        ` ${status === 0 ? 'No response' : status}${chaos ? ` · ${formatKind(chaos)}` : ''}`,
      ),
    ),
  );

/** Indented where it is JSON. @param {string} text */
export function formatBody(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
