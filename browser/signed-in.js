/** The page that a sign-in leads back to: takes the answer, and goes on to where it began. */
import { finishSignIn, inWords, takeBegun } from './oauth.js';

const answer = new URLSearchParams(location.search);
// From here on the code is in neither the address nor the history.
history.replaceState(null, '', location.pathname);

const begun = takeBegun();
const returnTo = begun?.returnTo ?? '/';

try {
  await finishSignIn(answer, begun);
  location.replace(returnTo);
} catch (error) {
  document.title = 'You are not signed in';
  put('h1', document.title);
  put('[role=alert]', inWords(error));
  const back = document.createElement('a');
  back.href = returnTo;
  back.textContent = 'Back, to sign in again';
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
