/** The *Calls* pane: the upstream calls of a response, and why its relations were read as they were. */
import { element } from '../dom.js';
import { count, formatBytes } from './amounts.js';

/**
 * @import { Call, Part, Relation } from './graph.js'
 */

/**
 * @param {HTMLElement} place
 * @param {readonly Call[] | null} calls null where the response does not list them
 */
export function showCalls(place, calls) {
  if (calls === null)
    return place.replaceChildren(
      element(
        'p',
        {},
        'Run a query or mutation to see its upstream calls. Results of a subscription list none.',
      ),
    );
  if (calls.length === 0)
    return place.replaceChildren(element('p', {}, 'No upstream call: the response needed none.'));
  place.replaceChildren(element('ol', { class: 'calls' }, ...calls.map(describeCall)));
}

/** @param {Call} call */
function describeCall({ upstream, milliseconds, bytes, rows, keys, parts = [], relations = [], ...request }) {
  const facts = [
    `${milliseconds} ms`,
    bytes === null ? null : formatBytes(bytes),
    rows === null ? null : count(rows, 'row'),
    keys === undefined ? null : count(keys, 'key'),
  ];
  return element(
    'li',
    {},
    element('p', {}, element('strong', {}, upstream), ' ', describeRequest(request)),
    element('p', { class: 'facts' }, facts.filter((fact) => fact !== null).join(' · ')),
    describeRelations(relations),
    parts.length === 0
      ? null
      : element(
          'ol',
          { class: 'parts' },
          ...parts.map((part) =>
            element('li', {}, describeRequest(part), describeRelations(part.relations ?? [])),
          ),
        ),
  );
}

/** @param {Pick<Part, 'method' | 'path' | 'status'>} request */
function describeRequest({ method, path, status }) {
  const isFailed = status === null || status >= 400;
  return element(
    'span',
    { class: 'request' },
    element('span', { class: isFailed ? 'fault' : 'good' }, status === null ? 'no response' : String(status)),
    ' ',
    element('code', {}, `${method} ${decode(path)}`),
  );
}

/** @param {readonly Relation[]} relations */
function describeRelations(relations) {
  if (relations.length === 0) return null;
  return element(
    'ul',
    { class: 'relations' },
    ...relations.map(({ path, plan }) =>
      element('li', {}, element('code', {}, path), ` ${plan.toLowerCase()}`),
    ),
  );
}

/** @param {string} path */
function decode(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
