/**
 * The one confirmation before anything is stopped or started: it names all that will be.
 *
 * @import { Row } from './fleet-rows.js'
 * @import { Action } from '../types.js'
 */

import { byId, element, joinIsolated, setText } from '../../dom.js';
import { formatCount, kindNames } from '../labels.js';
import { chip, instanceState } from '../states.js';
import { planAction } from './action-plan.js';

/** The default of the field. The upstream's own is 0, a hard stop. */
const softStopSeconds = '300';

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
  const hard = byId('hard', HTMLInputElement);
  const typed = byId('production', HTMLInputElement);
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
  const name = action === 'STOP' ? nameProduction(targets) : '';
  byId('production-field', HTMLElement).hidden = name === '';
  setText(byId('production-name', HTMLElement), name);
  typed.value = '';
  byId('stop-kind', HTMLElement).hidden = action === 'START';
  act.className = action === 'STOP' ? 'danger' : 'primary';

  const showHow = () => {
    const isHard = action === 'STOP' && hard.checked;
    byId('soft-stop-field', HTMLElement).hidden = action === 'START' || isHard;
    warning.className = isHard ? 'fault' : 'facts';
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
  byId('soft', HTMLInputElement).checked = true;
  seconds.value = softStopSeconds;
  dialog.oninput = showHow;
  showHow();

  return new Promise((resolve) => {
    const settle = (/** @type {boolean} */ isConfirmed) => {
      typed.setCustomValidity(typed.value.trim() === name ? '' : `Type ${name}.`);
      if (isConfirmed && !((hard.checked || seconds.reportValidity()) && typed.reportValidity())) return;
      const softStopTimeoutSeconds = hard.checked ? 0 : Number(seconds.value);
      resolve(isConfirmed ? { targets, softStopTimeoutSeconds } : null);
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

/** The name to type before production is stopped: that of the instance, or of the virtual instances of several. @param {readonly Row[]} targets */
function nameProduction(targets) {
  const production = targets.filter(({ isProduction }) => isProduction);
  const names = production.map((row) => (production.length === 1 ? row.name : row.virtualInstanceName));
  return [...new Set(names)].join(' ');
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
            chip(instanceState(status)),
          ),
        ),
      ),
    ];
  });
}
