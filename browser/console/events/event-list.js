/**
 * Health events as a list, most urgent first.
 *
 * @import { HealthEvent } from '../types.js'
 */
import { createKeyedList, element, joinIsolated } from '../../dom.js';
import { formatEnum } from '../labels.js';
import { formatRoute } from '../router.js';
import { chip, eventState } from '../states.js';
import { time } from '../times.js';
import { keyOf, listRegions, listServices, nameOf } from './event-order.js';

export const createEventList = () =>
  createKeyedList('events', keyOf, () => {
    const item = element('li');
    const showValue = (/** @type {HealthEvent} */ event) => {
      item.dataset.tone = event.status === 'ACTIVE' ? eventState(event.eventLevel).tone : 'off';
      item.replaceChildren(...renderEvent(event));
    };
    return { item, showValue };
  });

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
    chip(eventState(eventLevel, eventLevelRaw)),
    chip(eventState(status, statusRaw)),
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
