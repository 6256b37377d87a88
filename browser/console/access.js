/** The token the console uses: the sandbox's, from sign-in, or entered by hand. */
import { sessionState, signedIn, signOut, watchSession } from '../session.js';
import { byId, element } from './dom.js';
import { token } from './graph.js';
import { settings } from './settings.js';

/**
 * Shows the sign-in or token control. A change of token reloads the page, so that no data of one user remains for the
 * next.
 */
export async function showAccess() {
  const place = byId('access', HTMLElement);
  if (settings.token !== null) {
    place.append('Sandbox');
    return;
  }
  place.append(
    settings.canSignIn ? (await import('../sign-in-control.js')).createSignInControl() : createTokenControl(),
  );
  const first = token();
  watchSession(() => {
    const now = token();
    const isOther = now !== null && now !== first;
    if (isOther || (first !== null && sessionState() === 'signedOut')) location.reload();
  });
}

/** A field for a token, which is stored like one from sign-in: in this tab's sessionStorage. */
function createTokenControl() {
  const field = element('input', {
    id: 'token',
    type: 'password',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const use = element('button', { type: 'submit' }, 'Use token');
  const form = element('form', { class: 'token' }, element('label', { for: 'token' }, 'Token'), field, use);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = field.value.trim().replace(/^bearer\s+/i, '');
    field.value = '';
    if (given) signedIn(given, undefined);
  });
  const remove = element('button', { type: 'button' }, 'Remove token');
  remove.addEventListener('click', signOut);
  const status = element('span', { role: 'status' });
  const control = element('div', { class: 'token' });
  /** @type {string | null} */
  let before = null;
  watchSession(() => {
    const now = sessionState();
    // Also called when the page becomes visible again: do not disturb an input in progress.
    if (now === before) return;
    before = now;
    status.textContent = now === 'refused' ? 'Token refused.' : '';
    control.replaceChildren(status, ...(now === 'signedIn' ? [remove] : [form]));
  });
  return control;
}
