/** As whom the console asks: the sandbox's caller, who signs in, or whose token is given by hand. */
import { signedIn, signOut, standing, watchStanding } from '../session.js';
import { byId, element } from './element.js';
import { token } from './graph.js';
import { settings } from './settings.js';

/**
 * Shows how to give a token, where one can be given. The page is loaded anew for another token: nothing that one
 * caller was told stays for the next.
 */
export async function showAccess() {
  const place = byId('access', HTMLElement);
  if (settings.token !== null) {
    place.append('Sandbox');
    return;
  }
  place.append(
    settings.canSignIn ? (await import('../control.js')).createSignInControl() : createTokenControl(),
  );
  const first = token();
  watchStanding(() => {
    const now = token();
    const isOther = now !== null && now !== first;
    if (isOther || (first !== null && standing() === 'signedOut')) location.reload();
  });
}

/** A field for a token. It is kept as one that was signed in for: in this tab, and gone with it. */
function createTokenControl() {
  const field = element('input', {
    id: 'token',
    type: 'password',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const use = element('button', { type: 'submit' }, 'Use it');
  const form = element('form', { class: 'token' }, element('label', { for: 'token' }, 'Token'), field, use);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = field.value.trim().replace(/^bearer\s+/i, '');
    field.value = '';
    if (given) signedIn(given, undefined);
  });
  const forget = element('button', { type: 'button' }, 'Forget the token');
  forget.addEventListener('click', signOut);
  const told = element('span', { role: 'status' });
  const control = element('div', { class: 'token' });
  /** @type {string | null} */
  let before = null;
  watchStanding(() => {
    const now = standing();
    // It is told whenever the page is looked at again: who is writing is left alone.
    if (now === before) return;
    before = now;
    told.textContent = now === 'refused' ? 'Your token was refused.' : '';
    control.replaceChildren(told, ...(now === 'signedIn' ? [forget] : [form]));
  });
  return control;
}
