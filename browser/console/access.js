/**
 * How the user is authenticated: by the sandbox's token, by sign-in, or by a token entered by hand. The token of the
 * last two stays in this tab.
 */
import { sessionState, signedIn, watchSession } from '../session.js';
import { element } from './dom.js';
import { token } from './graph.js';
import { settings } from './settings.js';

/** What a visitor without a token sees: what this is, and how to sign in. */
export async function createSignedOutPage() {
  return element(
    'section',
    { class: 'welcome' },
    element('h1', {}, 'Tributary console'),
    element(
      'p',
      {},
      'Find virtual instances, stop and start them, follow their operations, and see the health events that touch them.',
    ),
    settings.canSignIn ? (await import('../sign-in-control.js')).createSignInControl() : createTokenForm(),
  );
}

/**
 * Reloads the page when the token is another one or gone, so that no data of one user remains for the next.
 *
 * @param {string | null} first the token that the page was loaded with
 */
export function reloadOnOtherToken(first) {
  if (settings.token !== null) return;
  watchSession(() => {
    const now = token();
    const isOther = now !== null && now !== first;
    if (isOther || (first !== null && sessionState() === 'signedOut')) location.reload();
  });
}

/** A field for a token, which is stored like one from sign-in: in this tab's sessionStorage. */
export function createTokenForm() {
  const field = element('input', {
    id: 'token',
    type: 'password',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const form = element(
    'form',
    { class: 'token' },
    element('label', { for: 'token' }, 'Token'),
    field,
    element('button', { type: 'submit', class: 'primary' }, 'Use token'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = field.value.trim().replace(/^bearer\s+/i, '');
    field.value = '';
    if (given) signedIn(given, undefined);
  });
  return form;
}
