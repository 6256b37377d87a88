/** The operations console. It uses the public GraphQL API with the user's own token, and nothing else. */
import { showAccess } from './access.js';
import { showActions } from './actions.js';
import { byId, setText } from './dom.js';
import { openSubscriptions, token } from './graph.js';
import { showHealth } from './health.js';
import { parseHandle } from './labels.js';
import { showOperations } from './operations.js';
import { openSavedOperations } from './saved-operations.js';
import { settings } from './settings.js';
import { showUpstreams } from './upstreams.js';

const upstreamsEveryMs = 5_000;
const eventsEveryMs = 60_000;

/** @param {string} sent */
async function show(sent) {
  const news = byId('news', HTMLElement);
  const announce = (/** @type {string} */ text) => setText(news, text);
  const connection = byId('connection', HTMLElement);
  const subscribe = openSubscriptions((now, delayMs) => {
    connection.dataset.connection = now;
    setText(connection, connectionText[now](delayMs));
  });
  const saved = await openSavedOperations(sent);
  const { add } = showOperations({ subscribe, saved, announce });
  const first = settings.instance ?? saved.list().find(({ place }) => place !== null)?.place ?? null;
  showActions({ first, onStarted: add, announce });
  repeat(showUpstreams(announce), 'upstreams-fault', upstreamsEveryMs);
  const refreshEvents = repeat(showHealth({ subscribe, announce }), 'events-fault', eventsEveryMs);
  byId('events-refresh', HTMLButtonElement).addEventListener('click', refreshEvents);

  // A share link is used once: it adds its operation to the list, from which the user can remove it.
  const takeShared = () => {
    const id = /^#operation=/.test(location.hash) ? parseHandle(location.hash) : null;
    if (id === null) return;
    history.replaceState(null, '', location.pathname + location.search);
    add({ id, action: null, place: null, since: Date.now() });
  };
  addEventListener('hashchange', takeShared);
  takeShared();
}

/** @type {Record<import('./graph.js').Connection, (delayMs: number) => string>} */
const connectionText = {
  idle: () => 'Idle',
  connecting: () => 'Connecting …',
  open: () => 'Live',
  waiting: (delayMs) => `Disconnected. Retrying in ${Math.max(1, Math.round(delayMs / 1_000))} s.`,
};

/**
 * Runs a refresh now and again `ms` after each one ends, while the page is visible. Returns a function that runs it at
 * once.
 *
 * @param {() => Promise<void>} refresh
 * @param {string} faultId id of the element that shows a failure
 * @param {number} ms
 */
function repeat(refresh, faultId, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next;
  const run = async () => {
    clearTimeout(next);
    if (document.hidden) return;
    await refresh().catch((/** @type {Error} */ { message }) =>
      setText(byId(faultId, HTMLElement), `${message} Showing earlier data.`),
    );
    clearTimeout(next);
    next = setTimeout(run, ms);
  };
  document.addEventListener('visibilitychange', run);
  void run();
  return run;
}

await showAccess();
const sent = token();
byId('signed-out', HTMLElement).hidden = sent !== null;
byId('console', HTMLElement).hidden = sent === null;
if (sent !== null) await show(sent);
