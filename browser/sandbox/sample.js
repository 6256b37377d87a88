/** A dialog that sends a GET with a token, and shows the response. */
import { byId, setText } from '../dom.js';
import { formatBody } from './journal-row.js';

/** Opens the dialog for a path of a service. @typedef {(title: string, path: string) => void} OpenSample */

/** @returns {OpenSample} */
export function createSample() {
  const dialog = byId('sample', HTMLDialogElement);
  const token = byId('sample-token', HTMLInputElement);
  const command = byId('sample-command', HTMLElement);
  const status = byId('sample-status', HTMLElement);
  const body = byId('sample-body', HTMLElement);
  const text = /** @type {HTMLPreElement} */ (body.firstElementChild);
  // It scrolls.
  body.tabIndex = 0;
  let path = '';
  let sent = 0;

  function showCommand() {
    const quoted = (/** @type {string} */ text) => `'${text.replaceAll("'", "'\\''")}'`;
    setText(
      command,
      `curl -g -H ${quoted(`authorization: Bearer ${token.value}`)} ${quoted(location.origin + path)}`,
    );
  }

  async function send() {
    sent += 1;
    const own = sent;
    setText(status, 'Waiting …');
    setText(text, '');
    body.hidden = true;
    const show = (/** @type {string} */ outcome, /** @type {string} */ content) => {
      if (own !== sent) return;
      setText(status, outcome);
      setText(text, content);
      body.hidden = content === '';
    };
    try {
      // Without cookies, which other servers of this machine may have set and the journal would show.
      const response = await fetch(path, {
        headers: { authorization: `Bearer ${token.value}`, accept: 'application/json' },
        credentials: 'omit',
        cache: 'no-store',
      });
      show(`${response.status} ${response.statusText}`, formatBody(await response.text()));
    } catch {
      show('No response: the connection was closed.', '');
    }
  }

  token.addEventListener('input', showCommand);
  token.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') void send();
  });
  byId('sample-send', HTMLButtonElement).addEventListener('click', () => void send());
  byId('sample-close', HTMLButtonElement).addEventListener('click', () => dialog.close());
  return (title, given) => {
    path = given;
    setText(byId('sample-title', HTMLElement), title);
    showCommand();
    dialog.showModal();
    void send();
  };
}
