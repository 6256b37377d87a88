/** What signing in adds to the page of Altair. Runs before Altair's own scripts. */
import { createSignInControl } from './control.js';
import { sendTokenToGraph } from './graph-token.js';

// Altair writes down what is in its windows a second after the last change, and no event tells.
const altairKeepsMs = 1_500;

sendTokenToGraph();

const control = createSignInControl(() => new Promise((resolve) => setTimeout(resolve, altairKeepsMs)));

// Altair makes its header once, some time after its scripts have run.
new MutationObserver((_changes, observer) => {
  const header = document.querySelector('app-header');
  if (!header) return;
  observer.disconnect();
  header.append(control);
}).observe(document.body, { subtree: true, childList: true });
