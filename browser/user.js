/** Who uses the page: signed in, by a token entered by hand, or by the sandbox's. */
import { button, element, setText } from './dom.js';
import { getUserName } from './identity.js';
import { sessionState, signedIn, signOut, watchSession } from './session.js';

/**
 * How a page's user is authenticated.
 *
 * @typedef {object} Access
 * @property {string | null} token the sandbox's; null with real upstreams
 * @property {boolean} canSignIn whether sign-in is configured (`AUTH_URL`)
 */

/**
 * Shows the user's name, a way to sign out, and what is wrong with the token.
 *
 * @param {HTMLElement} place
 * @param {string} token the one that is sent
 * @param {Access} access
 */
export function showUser(place, token, access) {
  const name = access.token === null ? (getUserName(token) ?? 'Unnamed token') : 'Sandbox user';
  const user = element('span', { class: 'name', title: `Signed in as ${name}` }, name);
  if (access.token !== null) return place.replaceChildren(user);
  const status = element('span', { role: 'status', class: 'fault' });
  const again = element('span');
  place.replaceChildren(user, status, again, button('Sign out', signOut));
  watchSession(() => {
    const state = sessionState();
    if (state !== 'refused' && state !== 'ended') return again.replaceChildren();
    // The control for sign-in says it itself.
    if (!access.canSignIn) setText(status, state === 'refused' ? 'Token refused.' : 'Session expired.');
    if (again.childElementCount === 0) again.replaceChildren(createSignIn(access));
  });
}

/** A button to sign in, or where sign-in is not configured, a field for a token. @param {Access} access */
export const createSignIn = ({ canSignIn }) => (canSignIn ? createSignInButton() : createTokenForm());

const labels = {
  signedOut: { status: '', action: 'Sign in' },
  signedIn: { status: '', action: 'Sign in' },
  refused: { status: 'Token refused.', action: 'Sign in again' },
  ended: { status: 'Session expired.', action: 'Sign in again' },
};

function createSignInButton() {
  const status = element('span', { role: 'status' });
  const action = button('', async () => {
    action.disabled = true;
    // Loaded when it is needed: its library is larger than the console.
    const { beginSignIn, formatSignInError } = await import('./oauth.js');
    try {
      await beginSignIn();
    } catch (error) {
      status.textContent = formatSignInError(error);
      action.disabled = false;
    }
  });
  watchSession(() => {
    const now = sessionState();
    status.textContent = labels[now].status;
    action.textContent = labels[now].action;
    action.disabled = false;
  });
  return element('div', { class: 'sign-in' }, status, action);
}

/** A field for a token, which is stored like one from sign-in: in this tab's sessionStorage. */
function createTokenForm() {
  const field = element('input', {
    type: 'password',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const form = element(
    'form',
    { class: 'token' },
    element('label', {}, 'Token ', field),
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

/**
 * Reloads the page when the token is another one or gone, so that no data of one user remains for the next.
 *
 * @param {string | null} first the token that the page was loaded with
 * @param {() => string | null} token the one to send now
 */
export function reloadOnOtherToken(first, token) {
  watchSession(() => {
    const now = token();
    const isOther = now !== null && now !== first;
    if (isOther || (first !== null && sessionState() === 'signedOut')) location.reload();
  });
}
