/** Adds a link to the console to the Altair page. */
import { addToHeader } from './altair-header.js';

const link = document.createElement('a');
link.className = 'console-link';
link.href = '/console';
link.textContent = 'Console';
addToHeader(link);
