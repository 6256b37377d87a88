/** The redirect page of sign-in: finishes it and returns to the page where it started. */
import { element } from './dom.js';
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
  document
    .querySelector('main')
    ?.replaceChildren(
      element('h1', {}, document.title),
      element('p', { role: 'alert' }, formatSignInError(error)),
      element('a', { href: returnTo }, 'Back'),
    );
}
