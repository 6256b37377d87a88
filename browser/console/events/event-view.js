/**
 * The page of the health events, and the page of one with its updates.
 *
 * @import { EventStore } from './event-store.js'
 * @import { Subscribe } from '../graph.js'
 * @import { View } from '../router.js'
 * @import { Subscriptions } from '../subscriptions.js'
 * @import { HealthEvent } from '../types.js'
 */
import { button, element, select, setText } from '../../dom.js';
import { formatCount, formatEnum } from '../labels.js';
import { createEventList } from './event-list.js';
import { eventText } from './event-order.js';
import { showEvent } from './event-page.js';

const statuses = { ACTIVE: 'Active', '': 'Active and resolved' };
const levels = ['CRITICAL', 'ERROR', 'WARNING', 'INFORMATIONAL'];

/**
 * @param {{ events: EventStore, subscribe: Subscribe, subscriptions: Subscriptions }} given
 * @returns {View}
 */
export function createEventsView({ events, subscribe, subscriptions }) {
  // Kept while other pages are shown.
  const filter = { text: '', status: '', level: '' };

  return ([scope, trackingId], signal, setTitle) => {
    if (scope !== undefined && trackingId !== undefined)
      return showEvent(subscribe, scope, trackingId, signal, setTitle);
    setTitle('Health events');
    const search = element('input', {
      type: 'search',
      placeholder: 'Search title, service, region …',
      'aria-label': 'Search',
      autocomplete: 'off',
      value: filter.text,
    });
    const status = select('Status', Object.entries(statuses).toReversed(), filter.status);
    const level = select(
      'Severity',
      [['', 'All severities'], ...levels.map((one) => [one, formatEnum(one)])],
      filter.level,
    );
    const place = select(
      'Scope',
      [
        ['', 'Whole tenant'],
        ...subscriptions.chosen().map((id) => [id, `Subscription ${subscriptions.nameOf(id)}`]),
      ],
      events.scope() ?? '',
    );
    const refresh = button('Refresh', () => events.load(place.value || null));
    const summary = element('p', { class: 'summary', role: 'status' });
    const fault = element('p', { class: 'fault', role: 'status' });
    const none = element('p', { class: 'empty', hidden: true });
    const { list, show } = createEventList();

    const update = () => {
      const { events: all, fault: message, isLoading } = events.snapshot();
      const found = all.filter((event) => matches(event, filter));
      const active = all.filter((event) => event.status === 'ACTIVE').length;
      show(found);
      setText(fault, message);
      setText(
        summary,
        isLoading && all.length === 0
          ? 'Loading …'
          : `${formatCount(active, 'active event')}, ${all.length - active} others${found.length < all.length ? `, ${found.length} shown` : ''}`,
      );
      none.hidden = isLoading || found.length > 0;
      setText(
        none,
        all.length > 0 ? 'Nothing matches. Change the search or the filters.' : 'No health events.',
      );
    };
    const change = () => {
      filter.text = search.value;
      filter.status = status.value;
      filter.level = level.value;
      update();
    };
    for (const control of [search, status, level]) control.addEventListener('input', change);
    place.addEventListener('input', () => events.load(place.value || null));
    events.watch(update, signal);

    return {
      content: [
        element('div', { class: 'toolbar', role: 'search' }, search, level, status, place, refresh),
        summary,
        fault,
        element('h2', { class: 'unseen' }, 'Events'),
        list,
        none,
      ],
    };
  };
}

/** @param {HealthEvent} event @param {{ text: string, status: string, level: string }} filter */
const matches = (event, { text, status, level }) =>
  (status === '' || event.status === status) &&
  (level === '' || event.eventLevel === level) &&
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => eventText(event).includes(word));
