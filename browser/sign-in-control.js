/** Shows whether the user is signed in, with a button to sign in or out. Used by the explorer and the console. */
import { sessionState, signOut, watchSession } from './session.js';

const labels = {
  signedOut: { status: '', action: 'Sign in' },
  signedIn: { status: 'Signed in', action: 'Sign out' },
  refused: { status: 'Token refused.', action: 'Sign in again' },
  ended: { status: 'Session expired.', action: 'Sign in again' },
};

/**
 * @param {() => Promise<void>} [beforeLeaving] awaited before the page is left
 * @returns {HTMLElement}
 */
export function createSignInControl(beforeLeaving = async () => {}) {
  const control = document.createElement('div');
  const status = document.createElement('span');
  const button = document.createElement('button');
  control.className = 'sign-in';
  status.setAttribute('role', 'status');
  button.type = 'button';
  control.append(status, button);

  button.addEventListener('click', async () => {
    if (sessionState() === 'signedIn') {
      signOut();
      return;
    }
    button.disabled = true;
    // Loaded when it is needed: its library is larger than the console.
    const { beginSignIn, formatSignInError } = await import('./oauth.js');
    try {
      await beforeLeaving();
      await beginSignIn();
    } catch (error) {
      status.textContent = formatSignInError(error);
      button.disabled = false;
    }
  });
  watchSession(() => {
    const now = sessionState();
    control.dataset.session = now;
    status.textContent = labels[now].status;
    button.textContent = labels[now].action;
    button.disabled = false;
  });
  return control;
}
