/** Adds sign-in to the Altair page. Runs before Altair's own scripts. */

import { sendTokenToGraph } from './graph-token.js';
import { createSignInControl } from './sign-in-control.js';

// Altair saves its windows one second after the last change and fires no event.
const altairSaveMs = 1_500;

sendTokenToGraph();

const control = createSignInControl(() => new Promise((resolve) => setTimeout(resolve, altairSaveMs)));

// Altair creates its header once, after its scripts have run.
new MutationObserver((_changes, observer) => {
  const header = document.querySelector('app-header');
  if (!header) return;
  observer.disconnect();
  header.append(control);
}).observe(document.body, { subtree: true, childList: true });
