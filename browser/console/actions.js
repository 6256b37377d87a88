/**
 * Stopping and starting an instance, each after a question.
 *
 * @import { Begun, Instance, Place } from './documents.js'
 * @import { Kept } from './kept.js'
 */
import { lookAtInstance, startInstance, stopInstance } from './documents.js';
import { byId, element, say } from './element.js';
import { ask, faultText } from './graph.js';
import { placeText } from './operation-card.js';
import { listed, wordOf } from './words.js';

const names = /** @type {const} */ ([
  'subscriptionId',
  'resourceGroupName',
  'virtualInstanceName',
  'applicationInstanceName',
]);

/**
 * @param {{ first: Place | null, begun: (entry: Kept) => void, announce: (text: string) => void }} given
 */
export function showActions({ first, begun, announce }) {
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
    say(fault, '');
    /** @type {Awaited<ReturnType<typeof ask<{ applicationInstance: Instance | null }>>>} */
    const { data, faults } = await answered(ask(lookAtInstance, which));
    if (faults.length > 0) return say(fault, faultText(faults));
    say(answer, instanceText(which, data?.applicationInstance ?? null));
  });

  /**
   * @param {'stop' | 'start'} action
   * @param {HTMLButtonElement} button
   */
  const act = async (action, button) => {
    const which = place();
    if (!which) return;
    const softStopTimeoutSeconds = Number(seconds.value);
    if (!(await confirmed(question(action, which, softStopTimeoutSeconds)))) return;
    say(fault, '');
    say(answer, '');
    // What may have been sent is not sent again by a second click.
    for (const each of [stop, start]) each.disabled = true;
    const input = action === 'stop' ? { ...which, softStopTimeoutSeconds } : which;
    /** @type {Awaited<ReturnType<typeof ask<{ begun: Begun | null }>>>} */
    const { data, faults } = await answered(ask(action === 'stop' ? stopInstance : startInstance, { input }));
    for (const each of [stop, start]) each.disabled = false;
    const id = data?.begun?.operation?.id;
    if (id) {
      announce(`The ${action} of ${which.applicationInstanceName} has begun.`);
      begun({ id, action, place: which, since: Date.now() });
      return;
    }
    button.focus();
    say(fault, listed([faultText(faults), ...(data?.begun?.userErrors ?? []).map(refusalText)]));
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
 * @param {Promise<{ data: Data | null, faults: readonly { message: string }[] }>} asked
 */
const answered = (asked) =>
  asked.catch((/** @type {Error} */ { message }) => ({
    data: null,
    faults: [{ message: `${message} Look at the instance before you ask for anything again.` }],
  }));

/** @param {Begun['userErrors'][number]} refusal */
const refusalText = ({ message, upstream }) =>
  [message, upstream?.code && `${upstream.code}: ${upstream.message ?? ''}`].filter(Boolean).join(' ');

/**
 * @param {Place} place
 * @param {Instance | null} instance
 */
function instanceText({ applicationInstanceName: name }, instance) {
  if (instance === null) return `There is no ${name} there.`;
  const { status, statusRaw, health, healthRaw } = instance;
  return `${name} is ${listed([wordOf(status, statusRaw), wordOf(health, healthRaw)])}.`;
}

/**
 * @param {'stop' | 'start'} action
 * @param {Place} place
 * @param {number} seconds
 */
function question(action, place, seconds) {
  const name = place.applicationInstanceName;
  const isHard = seconds === 0;
  if (action === 'start')
    return { title: `Start ${name}?`, where: placeText(place), warning: '', act: `Start ${name}` };
  return {
    title: `Stop ${name}?`,
    where: placeText(place),
    warning: isHard
      ? 'This is a hard stop: whoever is working on it is cut off at once.'
      : `A soft stop: no new callers are sent to it for ${seconds} seconds, then it stops.`,
    act: isHard ? `Stop ${name} hard` : `Stop ${name}`,
  };
}

/**
 * Asks, and goes back to where one was. Nothing is done unless it is said so.
 *
 * @param {{ title: string, where: string, warning: string, act: string }} asked
 * @returns {Promise<boolean>}
 */
function confirmed({ title, where, warning, act }) {
  const dialog = byId('confirm', HTMLDialogElement);
  const yes = byId('confirm-act', HTMLButtonElement);
  say(byId('confirm-title', HTMLElement), title);
  byId('confirm-text', HTMLElement).replaceChildren(
    element('p', {}, where),
    ...(warning ? [element('p', { class: 'warning' }, warning)] : []),
  );
  say(yes, act);
  yes.onclick = () => dialog.close('act');
  byId('confirm-cancel', HTMLButtonElement).onclick = () => dialog.close('');
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'act'), { once: true }),
  );
}
