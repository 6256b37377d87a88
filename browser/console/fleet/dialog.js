/**
 * The one confirmation before anything is stopped or started: it names all that will be.
 *
 * @import { Row } from './fleet-rows.js'
 * @import { Action } from '../types.js'
 */

import { byId, element, joinIsolated, setText } from '../../dom.js';
import { formatCount, kindNames } from '../labels.js';
import { chip, instanceStatus } from '../states.js';
import { planAction } from './action-plan.js';

/**
 * Resolves to null unless the user confirms. Closing the dialog returns the focus to where it was.
 *
 * @param {Action} action
 * @param {readonly Row[]} rows
 * @returns {Promise<{ targets: Row[], softStopTimeoutSeconds: number } | null>}
 */
export function confirmAction(action, rows) {
  const { targets, covered } = planAction(rows);
  const dialog = byId('confirm', HTMLDialogElement);
  const act = byId('confirm-act', HTMLButtonElement);
  const seconds = byId('soft-stop', HTMLInputElement);
  const warning = byId('confirm-warning', HTMLElement);
  const what = targets.length === 1 ? (targets[0]?.name ?? '') : formatCount(targets.length, 'instance');
  const verb = action === 'STOP' ? 'Stop' : 'Start';

  setText(byId('confirm-title', HTMLElement), `${verb} ${what}?`);
  const list = byId('confirm-list', HTMLElement);
  // A long list is scrolled by the keyboard, too.
  list.tabIndex = 0;
  list.replaceChildren(...listTargets(targets));
  const notes = [
    covered.length > 0
      ? `${formatCount(covered.length, 'selected instance')} ${covered.length === 1 ? 'is' : 'are'} part of a selected virtual instance, and not listed.`
      : '',
    targets.some(({ kind }) => kind === 'VIRTUAL_INSTANCE')
      ? 'A virtual instance includes its application servers and central instances, not its databases.'
      : '',
  ].filter(Boolean);
  byId('confirm-notes', HTMLElement).replaceChildren(...notes.map((note) => element('p', {}, note)));
  byId('soft-stop-field', HTMLElement).hidden = action === 'START';
  act.className = action === 'STOP' ? 'danger' : 'primary';

  const showHow = () => {
    const isHard = action === 'STOP' && Number(seconds.value) === 0;
    setText(
      warning,
      action === 'START'
        ? ''
        : isHard
          ? 'Hard stop: users are disconnected immediately.'
          : `Soft stop: takes no new users for ${Number(seconds.value)} seconds, then stops.`,
    );
    setText(act, `${isHard ? 'Hard-stop' : verb} ${what}`);
  };
  seconds.value = '0';
  seconds.oninput = showHow;
  showHow();

  return new Promise((resolve) => {
    const settle = (/** @type {boolean} */ isConfirmed) => {
      if (isConfirmed && !seconds.reportValidity()) return;
      resolve(isConfirmed ? { targets, softStopTimeoutSeconds: Number(seconds.value) } : null);
      dialog.close();
    };
    act.onclick = () => settle(true);
    byId('confirm-cancel', HTMLButtonElement).onclick = () => settle(false);
    // `close` is queued: that of an earlier question can come when this one is already open.
    dialog.onclose = () => {
      if (!dialog.open) resolve(null);
    };
    dialog.showModal();
  });
}

/** One list for each virtual instance. @param {readonly Row[]} targets */
function listTargets(targets) {
  /** @type {Map<string, Row[]>} */
  const systems = new Map();
  for (const row of targets) systems.set(row.systemId, [...(systems.get(row.systemId) ?? []), row]);
  return [...systems.values()].flatMap((rows) => {
    const [{ virtualInstanceName, resourceGroupName, subscriptionId, isProduction }] = /** @type {[Row]} */ (
      rows
    );
    return [
      element(
        'h3',
        {},
        ...joinIsolated([virtualInstanceName]),
        isProduction ? element('span', { class: 'badge' }, 'Production') : null,
        ' ',
        element('small', {}, ...joinIsolated([resourceGroupName, subscriptionId])),
      ),
      element(
        'ul',
        {},
        ...rows.map(({ name, kind, status }) =>
          element(
            'li',
            {},
            element('strong', {}, name),
            element('small', {}, kindNames[kind]),
            chip(instanceStatus(status)),
          ),
        ),
      ),
    ];
  });
}
