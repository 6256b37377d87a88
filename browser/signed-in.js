/** The redirect page of sign-in: finishes it and returns to the page where it started. */
import { finishSignIn, formatSignInError, takePendingSignIn } from './oauth.js';

const answer = new URLSearchParams(location.search);
// Removes the code from the address bar and the history.
history.replaceState(null, '', location.pathname);

const pending = takePendingSignIn();
const returnTo = pending?.returnTo ?? '/';

try {
  await finishSignIn(answer, pending);
  location.replace(returnTo);
} catch (error) {
  document.title = 'Sign-in failed';
  put('h1', document.title);
  put('[role=alert]', formatSignInError(error));
  const back = document.createElement('a');
  back.href = returnTo;
  back.textContent = 'Back';
  document.querySelector('main')?.append(back);
}

/**
 * @param {string} selector
 * @param {string} text
 */
function put(selector, text) {
  const element = document.querySelector(selector);
  if (element) element.textContent = text;
}
