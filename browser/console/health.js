/**
 * The active health events, most urgent first. An expanded event is subscribed to and shows its changes.
 *
 * @import { HealthEvent, HealthEventInFull, Impact, Region } from './documents.js'
 * @import { GraphError } from './graph.js'
 * @import { Subscribe } from './operations.js'
 */
import { activeEvents, eventChanged } from './documents.js';
import { byId, element, setText, time } from './dom.js';
import { ask, errorMessages } from './graph.js';
import { formatEnum, joinParts } from './labels.js';

const pageSize = 50;

/**
 * Returns a function that refreshes them.
 *
 * @param {{ subscribe: Subscribe, announce: (text: string) => void }} given
 */
export function showHealth({ subscribe, announce }) {
  const list = byId('event-list', HTMLOListElement);
  const summary = byId('events-summary', HTMLElement);
  const fault = byId('events-fault', HTMLElement);
  /** @type {Map<string, ReturnType<typeof createEvent>>} */
  const events = new Map();

  return async () => {
    /** @type {Awaited<ReturnType<typeof ask<{ healthEvents: { totalCount: number, nodes: HealthEvent[] } | null }>>>} */
    const { data, errors } = await ask(activeEvents, { first: pageSize });
    setText(fault, errorMessages(errors));
    if (!data?.healthEvents) return;
    const { totalCount, nodes } = data.healthEvents;
    setText(summary, formatCount(totalCount, nodes.length));
    const keys = nodes.map(keyOf);
    for (const [key, { item, isOpen, stop }] of events) {
      // An expanded event stays, though it is no longer active.
      if (keys.includes(key) || isOpen()) continue;
      stop();
      item.remove();
      events.delete(key);
    }
    for (const [at, node] of nodes.entries()) {
      const key = keyOf(node);
      const event = events.get(key) ?? createEvent(node, subscribe, announce);
      events.set(key, event);
      if (!event.isOpen()) event.show(node);
      // Moved only when its position has changed: moving an element loses its focus.
      if (list.children[at] !== event.item) list.insertBefore(event.item, list.children[at] ?? null);
    }
  };
}

/** @param {HealthEvent} event */
const keyOf = ({ scope, trackingId }) => `${scope} ${trackingId}`;

/**
 * @param {number} all
 * @param {number} shown
 */
function formatCount(all, shown) {
  if (all === 0) return 'No active events';
  const count = all === 1 ? '1 active event' : `${all} active events`;
  return shown < all ? `${count}, ${shown} most urgent shown` : count;
}

/**
 * @param {HealthEvent} first
 * @param {Subscribe} subscribe
 * @param {(text: string) => void} announce
 */
function createEvent(first, subscribe, announce) {
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
  const show = (event) => {
    const level = formatEnum(event.eventLevel, event.eventLevelRaw);
    item.dataset.level = event.eventLevel ?? '';
    setText(title, event.title ?? trackingId);
    line.replaceChildren(
      joinParts([
        event.priority === null ? 'No priority' : `Priority ${event.priority}`,
        level,
        formatEnum(event.eventType, event.eventTypeRaw),
        formatEnum(event.status),
        event.isEventSensitive ? 'Sensitive' : '',
        trackingId,
      ]),
      ' · updated ',
      time(event.lastUpdateTime),
    );
    setText(impact, formatImpact(event.impact ?? []));
  };

  /** @param {HealthEventInFull} event */
  const showFull = (event) => {
    show(event);
    body.replaceChildren(...fullDetails(event));
    if (before !== null && before !== event.lastUpdateTime) announce(`Health event ${trackingId} updated.`);
    before = event.lastUpdateTime ?? '';
  };

  /** @param {readonly GraphError[]} errors */
  const fail = (errors) => body.replaceChildren(element('p', { class: 'fault' }, errorMessages(errors)));

  details.addEventListener('toggle', () => {
    stop();
    stop = () => {};
    before = null;
    if (!details.open) return;
    body.replaceChildren(element('p', {}, 'Loading …'));
    stop = subscribe(
      eventChanged,
      { trackingId, subscriptionId: scope === 'tenant' ? null : scope },
      {
        /** @param {{ healthEventChanged: HealthEventInFull | null } | null} data */
        onData(data, errors) {
          if (data?.healthEventChanged) {
            showFull(data.healthEventChanged);
            // A field error repeats for every field that cannot be read: show the first.
            if (errors.length > 0)
              body.append(element('p', { class: 'fault' }, errorMessages(errors.slice(0, 1))));
          } else fail(errors.length > 0 ? errors : [{ message: 'Event not found.' }]);
        },
        onEnd(errors) {
          if (errors.length > 0) fail(errors);
        },
      },
    );
  });
  return { item, show, isOpen: () => details.open, stop: () => stop() };
}

/** @param {readonly Impact[]} impact */
function formatImpact(impact) {
  const services = impact.map(({ impactedService, impactedRegions }) => {
    const regions = (impactedRegions ?? []).map(({ impactedRegion }) => impactedRegion ?? '').filter(Boolean);
    return `${impactedService ?? 'Unnamed service'}${regions.length > 0 ? ` (${regions.join(', ')})` : ''}`;
  });
  return services.length > 0 ? `Affects ${services.join(', ')}` : 'No affected services listed';
}

/** @param {HealthEventInFull} event */
function fullDetails({
  summary,
  description,
  impact,
  impactStartTime,
  impactMitigationTime,
  recommendedActions,
}) {
  const texts = [summary, description].filter((text) => text !== null && text !== '');
  const advice = [
    recommendedActions?.message ?? '',
    ...(recommendedActions?.actions ?? []).map(({ actionText }) => actionText ?? ''),
  ].filter(Boolean);
  return [
    ...texts.map((text) => element('p', { class: 'said' }, text)),
    element(
      'p',
      { class: 'facts' },
      'Impact from ',
      time(impactStartTime),
      ' to ',
      time(impactMitigationTime),
    ),
    ...(advice.length > 0
      ? [
          element('h4', {}, 'Recommended actions'),
          element('ul', {}, ...advice.map((text) => element('li', { class: 'said' }, text))),
        ]
      : []),
    ...(impact ?? []).flatMap(({ impactedService, impactedRegions }) => [
      element('h4', {}, impactedService ?? 'Unnamed service'),
      ...(impactedRegions ?? []).map(region),
    ]),
  ];
}

/** @param {Region} region */
function region({ impactedRegion, status, updates }) {
  return element(
    'section',
    {},
    element('h5', {}, joinParts([impactedRegion ?? 'Unknown region', formatEnum(status)])),
    ...(updates ?? []).map(({ updateDateTime, summary }) =>
      element('p', { class: 'said' }, time(updateDateTime), ' ', summary ?? ''),
    ),
  );
}
