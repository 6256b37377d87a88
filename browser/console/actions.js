/**
 * Stopping and starting an instance, each after a confirmation.
 *
 * @import { Begun, Instance, Place } from './documents.js'
 * @import { SavedOperation } from './saved-operations.js'
 */
import { readInstance, startInstance, stopInstance } from './documents.js';
import { byId, element, setText } from './dom.js';
import { ask, errorMessages } from './graph.js';
import { formatEnum, joinParts } from './labels.js';
import { formatPlace } from './operation-card.js';

const names = /** @type {const} */ ([
  'subscriptionId',
  'resourceGroupName',
  'virtualInstanceName',
  'applicationInstanceName',
]);

/**
 * @param {{ first: Place | null, onStarted: (entry: SavedOperation) => void, announce: (text: string) => void }} given
 */
export function showActions({ first, onStarted, announce }) {
  const form = byId('instance', HTMLFormElement);
  const seconds = byId('soft-stop', HTMLInputElement);
  const answer = byId('instance-answer', HTMLElement);
  const fault = byId('instance-fault', HTMLElement);
  const stop = byId('stop', HTMLButtonElement);
  const start = byId('start', HTMLButtonElement);
  for (const name of names) input(form, name).value = first?.[name] ?? '';

  /** @returns {Place | null} */
  const place = () => {
    if (!form.reportValidity()) return null;
    const [
      subscriptionId = '',
      resourceGroupName = '',
      virtualInstanceName = '',
      applicationInstanceName = '',
    ] = names.map((name) => input(form, name).value.trim());
    return { subscriptionId, resourceGroupName, virtualInstanceName, applicationInstanceName };
  };

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const which = place();
    if (!which) return;
    setText(fault, '');
    /** @type {Awaited<ReturnType<typeof ask<{ applicationInstance: Instance | null }>>>} */
    const { data, errors } = await withAdvice(ask(readInstance, which));
    if (errors.length > 0) return setText(fault, errorMessages(errors));
    setText(answer, formatInstance(which, data?.applicationInstance ?? null));
  });

  /**
   * @param {'stop' | 'start'} action
   * @param {HTMLButtonElement} button
   */
  const act = async (action, button) => {
    const which = place();
    if (!which) return;
    const softStopTimeoutSeconds = Number(seconds.value);
    if (!(await confirm(createQuestion(action, which, softStopTimeoutSeconds)))) return;
    setText(fault, '');
    setText(answer, '');
    // Prevents a second request by a double click.
    for (const each of [stop, start]) each.disabled = true;
    const input = action === 'stop' ? { ...which, softStopTimeoutSeconds } : which;
    /** @type {Awaited<ReturnType<typeof ask<{ begun: Begun | null }>>>} */
    const { data, errors } = await withAdvice(
      ask(action === 'stop' ? stopInstance : startInstance, { input }),
    );
    for (const each of [stop, start]) each.disabled = false;
    const id = data?.begun?.operation?.id;
    if (id) {
      announce(`${action === 'stop' ? 'Stop' : 'Start'} of ${which.applicationInstanceName} started.`);
      onStarted({ id, action, place: which, since: Date.now() });
      return;
    }
    button.focus();
    setText(
      fault,
      joinParts([errorMessages(errors), ...(data?.begun?.userErrors ?? []).map(formatUserError)]),
    );
  };
  stop.addEventListener('click', () => act('stop', stop));
  start.addEventListener('click', () => act('start', start));
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
const input = (form, name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name));

/**
 * @template Data
 * @param {Promise<{ data: Data | null, errors: readonly { message: string }[] }>} response
 */
const withAdvice = (response) =>
  response.catch((/** @type {Error} */ { message }) => ({
    data: null,
    errors: [{ message: `${message} Check the status of the instance before you retry.` }],
  }));

/** @param {Begun['userErrors'][number]} refusal */
const formatUserError = ({ message, upstream }) =>
  [message, upstream?.code && `${upstream.code}: ${upstream.message ?? ''}`].filter(Boolean).join(' ');

/**
 * @param {Place} place
 * @param {Instance | null} instance
 */
function formatInstance({ applicationInstanceName: name }, instance) {
  if (instance === null) return `${name} not found.`;
  const { status, statusRaw, health, healthRaw } = instance;
  return `${name} is ${joinParts([formatEnum(status, statusRaw), formatEnum(health, healthRaw)])}.`;
}

/**
 * @param {'stop' | 'start'} action
 * @param {Place} place
 * @param {number} seconds
 */
function createQuestion(action, place, seconds) {
  const name = place.applicationInstanceName;
  const isHard = seconds === 0;
  if (action === 'start')
    return { title: `Start ${name}?`, where: formatPlace(place), warning: '', act: `Start ${name}` };
  return {
    title: `Stop ${name}?`,
    where: formatPlace(place),
    warning: isHard
      ? 'Hard stop: users are disconnected immediately.'
      : `Soft stop: takes no new users for ${seconds} seconds, then stops.`,
    act: isHard ? `Hard-stop ${name}` : `Stop ${name}`,
  };
}

/**
 * Opens the confirmation dialog. Resolves to true only when the user confirms; closing returns the focus.
 *
 * @param {{ title: string, where: string, warning: string, act: string }} question
 * @returns {Promise<boolean>}
 */
function confirm({ title, where, warning, act }) {
  const dialog = byId('confirm', HTMLDialogElement);
  const yes = byId('confirm-act', HTMLButtonElement);
  setText(byId('confirm-title', HTMLElement), title);
  byId('confirm-text', HTMLElement).replaceChildren(
    element('p', {}, where),
    ...(warning ? [element('p', { class: 'warning' }, warning)] : []),
  );
  setText(yes, act);
  yes.onclick = () => dialog.close('act');
  byId('confirm-cancel', HTMLButtonElement).onclick = () => dialog.close('');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'act'), { once: true }),
  );
}
