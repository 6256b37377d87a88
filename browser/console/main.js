/** The operations console. It uses the public GraphQL API with the user's own token, and nothing else. */
import { byId, element, setText } from '../dom.js';
import { openMemory } from '../identity.js';
import { createSignIn, reloadOnOtherToken, showUser } from '../user.js';
import { createEventStore } from './events/event-store.js';
import { createEventsView } from './events/event-view.js';
import { perform } from './fleet/actions.js';
import { confirmAction } from './fleet/dialog.js';
import { addressOf } from './fleet/fleet-rows.js';
import { createFleetStore } from './fleet/fleet-store.js';
import { createFleetView } from './fleet/fleet-view.js';
import { createInstanceView } from './fleet/instance-view.js';
import { createSelection } from './fleet/selection.js';
import { openSubscriptions, token } from './graph.js';
import { showConnection, showCounts, showCurrent, showEnvironment } from './header.js';
import { clearProgress, createProgressNotice, showRefusals } from './operations/notices.js';
import { createOperationStore, operationAddress } from './operations/operation-store.js';
import { createOperationsView } from './operations/operation-views.js';
import { startRouter } from './router.js';
import { settings } from './settings.js';
import { createSubscriptions } from './subscriptions.js';
import { keepTimesCurrent } from './times.js';
import { createUpstreamStore, createUpstreamsView } from './upstreams.js';

const upstreamsEveryMs = 5_000;
const operationsEveryMs = 10_000;

/** @param {string} sent */
async function show(sent) {
  const announce = (/** @type {string} */ text) => setText(byId('news', HTMLElement), text);
  const subscribe = openSubscriptions(showConnection);
  const subscriptions = createSubscriptions(await openMemory(sent), settings.subscriptionId);
  const selection = createSelection();
  const fleet = createFleetStore();
  const operations = createOperationStore({
    subscribe,
    announce,
    // The status of an instance, and of the whole it belongs to, changes with its operation.
    onChanged: (changed) => {
      const addresses = new Set(changed.map(operationAddress));
      const touched = fleet
        .snapshot()
        .systems.filter(({ row, components }) =>
          [row, ...components].some((one) => addresses.has(addressOf(one))),
        );
      if (touched.length > 0) void fleet.refresh(touched.map(({ row }) => row.nodeId));
    },
  });
  const events = createEventStore({ subscribe, announce });
  const upstreams = createUpstreamStore(announce);

  // Of the latest action.
  let following = new AbortController();
  /** @type {Parameters<typeof createFleetView>[0]['act']} */
  const act = async (action, rows) => {
    const confirmed = await confirmAction(action, rows);
    if (confirmed === null) return;
    const { targets, softStopTimeoutSeconds } = confirmed;
    selection.clear();
    // The button that opened the dialog may be gone with the selection.
    if (!document.activeElement?.checkVisibility() || document.activeElement === document.body)
      /** @type {HTMLElement | null} */ (document.querySelector('main h1'))?.focus({ preventScroll: true });
    /** @type {Set<string>} */
    const ids = new Set();
    const showProgress = createProgressNotice(action);
    following.abort();
    following = new AbortController();
    operations.watch(
      () => showProgress(operations.snapshot().operations.filter(({ id }) => ids.has(id))),
      following.signal,
    );
    await perform(action, targets, softStopTimeoutSeconds, ({ begun, refusals }) => {
      for (const { id } of begun) ids.add(id);
      operations.add(begun);
      showRefusals(action, refusals);
    });
  };

  showUser(byId('user', HTMLElement), sent, settings);
  showCounts({ operations, events, upstreams });
  keepTimesCurrent();
  startRouter(
    byId('main', HTMLElement),
    {
      fleet: createFleetView({ fleet, operations, selection, subscriptions, act }),
      instances: createInstanceView({ operations, act }),
      operations: createOperationsView(operations, fleet),
      events: createEventsView({ events, subscribe, subscriptions }),
      upstreams: createUpstreamsView(upstreams),
    },
    (name) => {
      showCurrent(name);
      clearProgress();
    },
  );
  /** @type {readonly string[] | null} */
  let loaded = null;
  subscriptions.watch(() => {
    if (loaded === subscriptions.chosen()) return;
    loaded = subscriptions.chosen();
    void fleet.load(loaded);
  });
  void subscriptions.load();
  void events.load(null);
  repeat(operations.refresh, operationsEveryMs);
  repeat(upstreams.read, upstreamsEveryMs);
}

/** What a visitor without a token sees: what this is, and how to sign in. */
async function createSignedOutPage() {
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

/**
 * Runs a refresh now and again `ms` after each one ends, while the page is visible.
 *
 * @param {() => Promise<void>} refresh
 * @param {number} ms
 */
function repeat(refresh, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next;
  const run = async () => {
    clearTimeout(next);
    if (document.hidden) return;
    await refresh();
    clearTimeout(next);
    next = setTimeout(run, ms);
  };
  document.addEventListener('visibilitychange', run);
  void run();
}

showEnvironment();
const sent = token();
if (settings.token === null) reloadOnOtherToken(sent, token);
document.body.dataset.access = sent === null ? 'signedOut' : 'signedIn';
if (sent === null) byId('main', HTMLElement).replaceChildren(await createSignedOutPage());
else await show(sent);
