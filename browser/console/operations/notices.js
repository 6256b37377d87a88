/**
 * What has begun, and what could not be started and why: shown over every page until it is dismissed.
 *
 * @import { Row } from '../fleet/fleet-rows.js'
 * @import { Action, Operation } from '../types.js'
 */
import { button, byId, element, joinIsolated, setText } from '../../dom.js';
import { nameOf } from '../fleet/fleet-rows.js';
import { formatCount } from '../labels.js';
import { isFinished } from '../states.js';

/** Names the instances of each reason once. @param {Action} action @param {readonly { row: Row, message: string }[]} refusals */
export function showRefusals(action, refusals) {
  if (refusals.length === 0) return;
  const place = byId('notices', HTMLElement);
  /** @type {Map<string, string[]>} */
  const reasons = new Map();
  for (const { row, message } of refusals) reasons.set(message, [...(reasons.get(message) ?? []), row.name]);
  const notice = element(
    'div',
    { class: 'notice' },
    element(
      'p',
      {},
      element(
        'strong',
        {},
        `${formatCount(refusals.length, 'instance')} not ${action === 'STOP' ? 'stopped' : 'started'}`,
      ),
    ),
    element(
      'ul',
      {},
      ...[...reasons].map(([message, names]) =>
        element(
          'li',
          { class: 'reason' },
          element('strong', {}, ...joinIsolated(names, ', ')),
          ': ',
          message,
        ),
      ),
    ),
  );
  notice.append(
    button('Dismiss', () => {
      notice.remove();
      /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus();
    }),
  );
  place.append(notice);
}

/**
 * Leads from an action to its operations, and says how many have ended, and which without success. Replaces the notice of an
 * earlier action. Returns what shows the operations as they are now.
 *
 * @param {Action} action
 */
export function createProgressNotice(action) {
  const text = element('p', {});
  const notice = element(
    'div',
    { class: 'notice begun' },
    text,
    element('a', { href: '#/operations' }, 'Follow'),
  );
  notice.append(button('Dismiss', () => notice.remove(), { class: 'quiet' }));
  let isShown = false;
  return (/** @type {readonly Operation[]} */ operations) => {
    if (operations.length === 0) return;
    setText(text, formatProgress(action, operations));
    if (isShown) return;
    isShown = true;
    clearProgress();
    byId('notices', HTMLElement).prepend(notice);
  };
}

/** @param {Operation} operation */
const isFailed = ({ state }) => isFinished(state) && state !== 'SUCCEEDED';

/** @param {Action} action @param {readonly Operation[]} operations */
function formatProgress(action, operations) {
  const [doing, done] = action === 'STOP' ? ['Stopping', 'stopped'] : ['Starting', 'started'];
  const all = formatCount(operations.length, 'instance');
  const names = operations.filter(isFailed).map(nameOf);
  const failed =
    names.length > 0 ? ` Not ${done}: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}.` : '';
  const isRunning = operations.some(({ state }) => !isFinished(state));
  const count = operations.filter(({ state }) => state === 'SUCCEEDED').length;
  return `${isRunning ? `${doing} ${all}` : `${count} of ${all} ${done}`}.${failed}`;
}

/** Removes what only the page before needed. */
export function clearProgress() {
  for (const notice of byId('notices', HTMLElement).querySelectorAll('.begun')) notice.remove();
}
