/**
 * Shows the chosen subscriptions, and takes further ones: from the list, or by id where there is none.
 *
 * @import { Subscriptions } from './subscriptions.js'
 */
import { button, element } from '../dom.js';
import { formatWord, joinParts } from './labels.js';

/**
 * @param {Subscriptions} subscriptions
 * @param {AbortSignal} signal
 */
export function createSubscriptionPicker(subscriptions, signal) {
  const list = element('ul', { class: 'tags', 'aria-label': 'Chosen subscriptions' });
  const choice = element('select', { 'aria-label': 'Add a subscription' });
  const field = element('input', {
    required: true,
    'aria-label': 'Add a subscription',
    spellcheck: 'false',
    autocomplete: 'off',
    placeholder: 'Subscription id',
  });
  const form = element('form', { class: 'add' }, field, element('button', { type: 'submit' }, 'Add'));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const id = field.value.trim();
    field.value = '';
    if (id !== '') subscriptions.add(id);
  });
  choice.addEventListener('change', () => {
    if (choice.value !== '') subscriptions.add(choice.value);
  });

  /** @param {string} id */
  const createTag = (id) => {
    const name = subscriptions.nameOf(id);
    return element(
      'li',
      { title: id },
      name === id ? element('code', {}, id) : element('span', {}, name),
      button(
        '×',
        () => {
          subscriptions.remove(id);
          (choice.hidden ? field : choice).focus();
        },
        { 'aria-label': `Remove subscription ${name}`, class: 'quiet' },
      ),
    );
  };
  let shown = '';
  subscriptions.watch(() => {
    const chosen = subscriptions.chosen();
    const known = subscriptions.known();
    const now = JSON.stringify([chosen, known]);
    if (now === shown) return;
    shown = now;
    const more = known.filter(({ id }) => !chosen.includes(id));
    form.hidden = known.length > 0;
    choice.hidden = more.length === 0;
    choice.replaceChildren(
      element('option', { value: '' }, 'Add …'),
      ...more.map(({ id, displayName, state }) =>
        element(
          'option',
          { value: id },
          joinParts([displayName ?? '', id, state === 'Enabled' ? '' : formatWord(state)]),
        ),
      ),
    );
    list.hidden = chosen.length === 0;
    list.replaceChildren(...chosen.map(createTag));
  }, signal);
  return element('div', { class: 'subscriptions' }, element('h2', {}, 'Subscriptions'), list, choice, form);
}
