/**
 * The header: which environment this is, and where something needs attention.
 *
 * @import { EventStore } from './events/event-store.js'
 * @import { Connection } from './graph.js'
 * @import { OperationStore } from './operations/operation-store.js'
 * @import { UpstreamStore } from './upstreams.js'
 */
import { byId, element, setText } from '../dom.js';
import { describeUpstream } from './labels.js';
import { settings } from './settings.js';

/** Shows which systems the console acts on: known before anybody has signed in. */
export function showEnvironment() {
  const { environment, explorerPath } = settings;
  const place = byId('environment', HTMLElement);
  place.replaceChildren(
    ...environment.map(({ areas, address }) =>
      element('li', {}, element('small', {}, areas), ' ', element('strong', {}, address)),
    ),
  );
  const explorer = byId('explorer-link', HTMLAnchorElement);
  explorer.hidden = explorerPath === null;
  explorer.href = explorerPath ?? '';
}

/** @type {Record<Connection, (delayMs: number) => string>} */
const connectionText = {
  idle: () => 'Not connected',
  connecting: () => 'Connecting …',
  open: () => 'Live',
  waiting: (delayMs) => `Disconnected. Retrying in ${Math.max(1, Math.round(delayMs / 1_000))} s.`,
};

/** @param {Connection} now @param {number} delayMs */
export function showConnection(now, delayMs) {
  const place = byId('connection', HTMLElement);
  place.dataset.connection = now;
  setText(place, connectionText[now](delayMs));
}

/** @param {string} name of the view that is shown */
export function showCurrent(name) {
  for (const link of document.querySelectorAll('nav a[data-view]')) {
    const view = /** @type {HTMLElement} */ (link).dataset.view;
    const isCurrent = view === name || (view === 'fleet' && name === 'instances');
    if (isCurrent) {
      link.setAttribute('aria-current', 'page');
      link.scrollIntoView({ block: 'nearest', inline: 'center' });
    } else link.removeAttribute('aria-current');
  }
}

/** @param {{ operations: OperationStore, events: EventStore, upstreams: UpstreamStore }} stores */
export function showCounts({ operations, events, upstreams }) {
  operations.watch(() => {
    const running = operations.snapshot().operations.filter(({ state }) => state === 'RUNNING').length;
    showCount('operations-count', running, 'running');
  });
  events.watch(() => {
    const active = events.snapshot().events.filter(({ status }) => status === 'ACTIVE').length;
    showCount('events-count', active, 'active');
  });
  upstreams.watch(() => {
    const bad = upstreams
      .snapshot()
      .upstreams.filter((one) => describeUpstream(one).word === 'Degraded').length;
    showCount('upstreams-count', bad, 'degraded');
  });
}

/** @param {string} id @param {number} count @param {string} word */
function showCount(id, count, word) {
  const place = byId(id, HTMLElement);
  if (count === 0) place.replaceChildren();
  else if (place.textContent !== `${count} ${word}`)
    place.replaceChildren(String(count), element('span', {}, ` ${word}`));
}
