/** The control that says whether one is signed in, and signs in and out. Any page of this server may show it. */
import { beginSignIn, inWords } from './oauth.js';
import { signOut, standing, watchStanding } from './session.js';

const shown = {
  signedOut: { told: '', act: 'Sign in' },
  signedIn: { told: 'Signed in', act: 'Sign out' },
  refused: { told: 'Your token was refused.', act: 'Sign in again' },
  ended: { told: 'Your sign-in has ended.', act: 'Sign in again' },
};

/**
 * @param {() => Promise<void>} [settled] what the page has to do before it is left
 * @returns {HTMLElement}
 */
export function createSignInControl(settled = async () => {}) {
  const control = document.createElement('div');
  const told = document.createElement('span');
  const button = document.createElement('button');
  control.className = 'sign-in';
  told.setAttribute('role', 'status');
  button.type = 'button';
  control.append(told, button);

  button.addEventListener('click', async () => {
    if (standing() === 'signedIn') {
      signOut();
      return;
    }
    button.disabled = true;
    try {
      await settled();
      await beginSignIn();
    } catch (error) {
      told.textContent = inWords(error);
      button.disabled = false;
    }
  });
  watchStanding(() => {
    const now = standing();
    control.dataset.standing = now;
    told.textContent = shown[now].told;
    button.textContent = shown[now].act;
    button.disabled = false;
  });
  return control;
}
