/**
 * The health events that go on, the most urgent first. One that is open tells whatever changes about it.
 *
 * @import { HealthEvent, HealthEventInFull, Impact, Region } from './documents.js'
 * @import { Fault } from './graph.js'
 * @import { Watch } from './operations.js'
 */
import { activeEvents, eventChanged } from './documents.js';
import { byId, element, say, time } from './element.js';
import { ask, faultText } from './graph.js';
import { listed, wordOf } from './words.js';

const shown = 50;

/**
 * Shows them, and returns how to ask for them again.
 *
 * @param {{ watch: Watch, announce: (text: string) => void }} given
 */
export function showHealth({ watch, announce }) {
  const list = byId('event-list', HTMLOListElement);
  const summary = byId('events-summary', HTMLElement);
  const fault = byId('events-fault', HTMLElement);
  /** @type {Map<string, ReturnType<typeof createEvent>>} */
  const events = new Map();

  return async () => {
    /** @type {Awaited<ReturnType<typeof ask<{ healthEvents: { totalCount: number, nodes: HealthEvent[] } | null }>>>} */
    const { data, faults } = await ask(activeEvents, { first: shown });
    say(fault, faultText(faults));
    if (!data?.healthEvents) return;
    const { totalCount, nodes } = data.healthEvents;
    say(summary, countText(totalCount, nodes.length));
    const keys = nodes.map(keyOf);
    for (const [key, { item, isOpen, stop }] of events) {
      // What is being read stays, though it has ended.
      if (keys.includes(key) || isOpen()) continue;
      stop();
      item.remove();
      events.delete(key);
    }
    for (const [at, node] of nodes.entries()) {
      const key = keyOf(node);
      const event = events.get(key) ?? createEvent(node, watch, announce);
      events.set(key, event);
      if (!event.isOpen()) event.tell(node);
      // Moved only where it must be: who is at it would lose their place.
      if (list.children[at] !== event.item) list.insertBefore(event.item, list.children[at] ?? null);
    }
  };
}

/** @param {HealthEvent} event */
const keyOf = ({ scope, trackingId }) => `${scope} ${trackingId}`;

/**
 * @param {number} all
 * @param {number} here
 */
function countText(all, here) {
  if (all === 0) return 'No health event goes on.';
  const count = all === 1 ? 'One event goes on' : `${all} events go on`;
  return here < all ? `${count}; these are the ${here} most urgent.` : `${count}, the most urgent first.`;
}

/**
 * @param {HealthEvent} first
 * @param {Watch} watch
 * @param {(text: string) => void} announce
 */
function createEvent(first, watch, announce) {
  const { scope, trackingId } = first;
  const title = element('h3');
  const line = element('p', { class: 'facts' });
  const impact = element('p', { class: 'impact' });
  const body = element('div', { class: 'full' });
  const details = element('details', {}, element('summary', {}, title, line, impact), body);
  const item = element('li', { class: 'card' }, details);
  let stop = () => {};
  /** @type {string | null} */
  let before = null;

  /** @param {HealthEvent} event */
  const tell = (event) => {
    const level = wordOf(event.eventLevel, event.eventLevelRaw);
    item.dataset.level = event.eventLevel ?? '';
    say(title, event.title ?? trackingId);
    line.replaceChildren(
      listed([
        event.priority === null ? 'No priority' : `Priority ${event.priority}`,
        level,
        wordOf(event.eventType, event.eventTypeRaw),
        wordOf(event.status),
        event.isEventSensitive ? 'Sensitive' : '',
        trackingId,
      ]),
      ' · updated ',
      time(event.lastUpdateTime),
    );
    say(impact, impactText(event.impact ?? []));
  };

  /** @param {HealthEventInFull} event */
  const tellInFull = (event) => {
    tell(event);
    body.replaceChildren(...inFull(event));
    if (before !== null && before !== event.lastUpdateTime)
      announce(`Health event ${trackingId} has changed.`);
    before = event.lastUpdateTime ?? '';
  };

  /** @param {readonly Fault[]} faults */
  const fail = (faults) => body.replaceChildren(element('p', { class: 'fault' }, faultText(faults)));

  details.addEventListener('toggle', () => {
    stop();
    stop = () => {};
    before = null;
    if (!details.open) return;
    body.replaceChildren(element('p', {}, 'Asking …'));
    stop = watch(
      eventChanged,
      { trackingId, subscriptionId: scope === 'tenant' ? null : scope },
      {
        /** @param {{ healthEventChanged: HealthEventInFull | null } | null} data */
        told(data, faults) {
          if (data?.healthEventChanged) tellInFull(data.healthEventChanged);
          else fail(faults.length > 0 ? faults : [{ message: 'The event is no longer there.' }]);
        },
        ended(faults) {
          if (faults.length > 0) fail(faults);
        },
      },
    );
  });
  return { item, tell, isOpen: () => details.open, stop: () => stop() };
}

/** @param {readonly Impact[]} impact */
function impactText(impact) {
  const services = impact.map(({ impactedService, impactedRegions }) => {
    const regions = (impactedRegions ?? []).map(({ impactedRegion }) => impactedRegion ?? '').filter(Boolean);
    return `${impactedService ?? 'A service'}${regions.length > 0 ? ` (${regions.join(', ')})` : ''}`;
  });
  return services.length > 0 ? `Affects ${services.join(', ')}` : 'Says of no service that it is affected';
}

/** @param {HealthEventInFull} event */
function inFull({ summary, description, impact, impactStartTime, impactMitigationTime, recommendedActions }) {
  const said = [summary, description].filter((text) => text !== null && text !== '');
  const advice = [
    recommendedActions?.message ?? '',
    ...(recommendedActions?.actions ?? []).map(({ actionText }) => actionText ?? ''),
  ].filter(Boolean);
  return [
    ...said.map((text) => element('p', { class: 'said' }, text)),
    element(
      'p',
      { class: 'facts' },
      'Effects from ',
      time(impactStartTime),
      ' to ',
      time(impactMitigationTime),
    ),
    ...(advice.length > 0
      ? [
          element('h4', {}, 'Advice'),
          element('ul', {}, ...advice.map((text) => element('li', { class: 'said' }, text))),
        ]
      : []),
    ...(impact ?? []).flatMap(({ impactedService, impactedRegions }) => [
      element('h4', {}, impactedService ?? 'A service'),
      ...(impactedRegions ?? []).map(region),
    ]),
  ];
}

/** @param {Region} region */
function region({ impactedRegion, status, updates }) {
  return element(
    'section',
    {},
    element('h5', {}, listed([impactedRegion ?? 'Somewhere', wordOf(status)])),
    ...(updates ?? []).map(({ updateDateTime, summary }) =>
      element('p', { class: 'said' }, time(updateDateTime), ' ', summary ?? ''),
    ),
  );
}
