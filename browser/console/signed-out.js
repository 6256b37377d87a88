/** What a visitor without a token sees: what this is, and how to sign in. */
import { element } from '../dom.js';
import { createSignIn } from '../user.js';
import { settings } from './settings.js';

export async function createSignedOutPage() {
  return element(
    'section',
    { class: 'welcome' },
    element('h1', {}, 'Tributary console'),
    element(
      'p',
      {},
      'Find virtual instances, stop and start them, follow their operations, and see the health events that touch them.',
    ),
    await createSignIn(settings),
  );
}
