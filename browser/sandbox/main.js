/** The sandbox's page. It uses the control API, and nothing else. */
import { byId, element, setText } from '../dom.js';
import { createContents } from './contents.js';
import { clearJournal, readContents, reset } from './control.js';
import { createFaults } from './faults.js';
import { createJournalFeed } from './journal-feed.js';
import { showJournal } from './journal-list.js';
import { createSample } from './sample.js';

/** How long after a request what it may have changed is read again. */
const readAfterMs = 300;

const connectionText = { connecting: 'Connecting …', open: 'Live', waiting: 'Disconnected. Retrying …' };

/** @param {string} text */
const announce = (text) => setText(byId('news', HTMLElement), text);

/** Shows why an action failed. @param {() => Promise<void>} action */
async function attempt(action) {
  const failure = byId('failure', HTMLElement);
  try {
    await action();
    setText(failure, '');
  } catch (error) {
    setText(
      failure,
      error instanceof TypeError
        ? 'The sandbox cannot be reached.'
        : String(/** @type {Error} */ (error).message),
    );
  }
}

/** The names of tokens that everybody knows, by their digests in the journal. @param {readonly string[]} names */
async function digestNames(names) {
  /** @type {Map<string, string>} */
  const digests = new Map();
  // Only pages of this machine, and those over HTTPS, have it.
  if (!crypto.subtle) return digests;
  for (const name of names) {
    const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)));
    digests.set([...bytes.slice(0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join(''), name);
  }
  return digests;
}

/** Runs an action once, some time after the first of several calls. @param {() => void} action */
function debounce(action) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return () => {
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      action();
    }, readAfterMs);
  };
}

const showFaults = createFaults({ announce, attempt });
const showContents = createContents(createSample());
const refresh = () =>
  attempt(async () => void (await Promise.all([readContents().then(showContents), showFaults()])));

await attempt(async () => {
  const contents = await readContents();
  showContents(contents);
  const names = ['sandbox', ...contents.users.map(({ name }) => name)];
  byId('sample-tokens', HTMLDataListElement).append(...names.map((value) => element('option', { value })));
  const sets = contents.companies[0]?.sets ?? [];
  byId('fault-paths', HTMLDataListElement).append(
    ...['/$batch', ...sets.map(({ name }) => `/${name}`)].map((value) => element('option', { value })),
  );
  await showFaults();
  const feed = createJournalFeed((state) => {
    const place = byId('connection', HTMLElement);
    place.dataset.connection = state;
    setText(place, connectionText[state]);
  });
  showJournal(feed, await digestNames(names), { announce, clear: () => void attempt(clearJournal) });
  feed.watch(debounce(refresh));
});

const dialog = byId('reset-dialog', HTMLDialogElement);
byId('reset', HTMLButtonElement).addEventListener('click', () => dialog.showModal());
byId('reset-cancel', HTMLButtonElement).addEventListener('click', () => dialog.close());
byId('reset-act', HTMLButtonElement).addEventListener('click', () => {
  dialog.close();
  void attempt(async () => {
    await reset();
    announce('The sandbox is as at its start.');
    await refresh();
  });
});
