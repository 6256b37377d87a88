/**
 * Health events as a list, most urgent first.
 *
 * @import { HealthEvent } from '../types.js'
 */
import { element, joinIsolated, setChildren } from '../../dom.js';
import { formatEnum } from '../labels.js';
import { formatRoute } from '../router.js';
import { chip, eventStatus, severity } from '../states.js';
import { time } from '../times.js';
import { keyOf, listRegions, listServices, nameOf } from './event-order.js';

/** Returns the list, and a function that shows these events in it. */
export function createEventList() {
  const list = element('ol', { class: 'events' });
  /** @type {Map<string, { item: HTMLElement, event: HealthEvent }>} */
  const items = new Map();
  return {
    list,
    /** @param {readonly HealthEvent[]} events */
    show(events) {
      setChildren(
        list,
        events.map((event) => {
          const known = items.get(keyOf(event));
          if (known?.event === event) return known.item;
          const item = known?.item ?? element('li');
          item.dataset.tone = event.status === 'ACTIVE' ? severity(event.eventLevel).tone : 'off';
          item.replaceChildren(...renderEvent(event));
          items.set(keyOf(event), { item, event });
          return item;
        }),
      );
    },
  };
}

/** @param {HealthEvent} event */
const renderEvent = (event) => [
  element('p', { class: 'chips' }, ...eventChips(event)),
  element(
    'h3',
    {},
    element('a', { href: formatRoute('events', event.scope, event.trackingId) }, nameOf(event)),
  ),
  element('p', { class: 'facts impact' }, ...formatImpact(event)),
  element(
    'p',
    { class: 'facts' },
    ...joinIsolated([formatEnum(event.eventType, event.eventTypeRaw), event.trackingId]),
    ' · updated ',
    time(event.lastUpdateTime),
  ),
];

/** @param {HealthEvent} event */
export const eventChips = ({ eventLevel, eventLevelRaw, priority, status, statusRaw, isEventSensitive }) =>
  [
    chip(severity(eventLevel, eventLevelRaw)),
    chip(eventStatus(status, statusRaw)),
    element('span', { class: 'facts' }, priority === null ? 'No priority' : `Priority ${priority}`),
    isEventSensitive ? element('span', { class: 'badge' }, 'Sensitive') : null,
  ].filter((part) => part !== null);

/** @param {HealthEvent} event */
function formatImpact({ impact }) {
  const services = listServices(impact);
  const regions = listRegions(impact);
  return [
    ...(services.length === 0 ? ['No services named'] : joinIsolated(services, ', ')),
    ...(regions.length === 0 ? [] : [' · ', ...joinIsolated(regions, ', ')]),
  ];
}
