/** The operations console. It asks the public graph, as the one who looks at it, and nothing else. */
import { showAccess } from './access.js';
import { showActions } from './actions.js';
import { byId, say } from './element.js';
import { openWatch, token } from './graph.js';
import { showHealth } from './health.js';
import { openKept } from './kept.js';
import { showOperations } from './operations.js';
import { settings } from './settings.js';
import { showUpstreams } from './upstreams.js';
import { handleIn } from './words.js';

const upstreamsEveryMs = 5_000;
const eventsEveryMs = 60_000;

/** @param {string} sent */
async function show(sent) {
  const news = byId('news', HTMLElement);
  const announce = (/** @type {string} */ text) => say(news, text);
  const connection = byId('connection', HTMLElement);
  const watch = openWatch((now, pauseMs) => {
    connection.dataset.connection = now;
    say(connection, connectionText[now](pauseMs));
  });
  const kept = await openKept(sent);
  const { add } = showOperations({ watch, kept, announce });
  const first = settings.instance ?? kept.list().find(({ place }) => place !== null)?.place ?? null;
  showActions({ first, begun: add, announce });
  const askUpstreams = showUpstreams(announce);
  const askEvents = showHealth({ watch, announce });
  again(askUpstreams, 'upstreams-fault', upstreamsEveryMs);
  const askEventsNow = again(askEvents, 'events-fault', eventsEveryMs);
  byId('events-again', HTMLButtonElement).addEventListener('click', askEventsNow);

  // An address that shares an operation is used once: what it names is in the list then, and can be dropped.
  const takeShared = () => {
    const id = /^#operation=/.test(location.hash) ? handleIn(location.hash) : null;
    if (id === null) return;
    history.replaceState(null, '', location.pathname + location.search);
    add({ id, action: null, place: null, since: Date.now() });
  };
  addEventListener('hashchange', takeShared);
  takeShared();
}

/** @type {Record<import('./graph.js').Connection, (pauseMs: number) => string>} */
const connectionText = {
  idle: () => 'Nothing is watched just now.',
  connecting: () => 'Connecting …',
  open: () => 'Live',
  waiting: (pauseMs) =>
    `The connection is lost. It is tried again in ${Math.max(1, Math.round(pauseMs / 1_000))} s.`,
};

/**
 * Asks now, and again so long after each answer, while somebody looks. Returns how to ask at once.
 *
 * @param {() => Promise<void>} act
 * @param {string} faultId where to say that no answer came
 * @param {number} ms
 */
function again(act, faultId, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next;
  const run = async () => {
    clearTimeout(next);
    if (document.hidden) return;
    await act().catch((/** @type {Error} */ { message }) =>
      say(byId(faultId, HTMLElement), `${message} What stands here is from before.`),
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
