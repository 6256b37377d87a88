/** Adds sign-in to the Altair page. Runs before Altair's own scripts. */

import { addToHeader } from './altair-header.js';
import { sendTokenToGraph } from './graph-token.js';
import { createSignInControl } from './sign-in-control.js';

// Altair saves its windows one second after the last change and fires no event.
const altairSaveMs = 1_500;

sendTokenToGraph();

const control = createSignInControl(() => new Promise((resolve) => setTimeout(resolve, altairSaveMs)));

addToHeader(control);
