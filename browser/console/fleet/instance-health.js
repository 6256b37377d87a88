/**
 * What the provider's monitoring says of an instance: its availability, and the events that touch it.
 *
 * @import { InstanceHealth } from '../types.js'
 */

import { element } from '../../dom.js';
import { instanceHealth } from '../documents.js';
import { createEventList } from '../events/event-list.js';
import { compareEvents } from '../events/event-order.js';
import { ask, errorMessages } from '../graph.js';
import { toPlainText } from '../plain-text.js';
import { chip, instanceState } from '../states.js';
import { time } from '../times.js';

/** Reads it once, apart from the instance, which it would delay. @param {string} nodeId @param {AbortSignal} signal */
export function createInstanceHealth(nodeId, signal) {
  const place = element('div', {}, element('p', { class: 'facts' }, 'Loading …'));
  const load = async () => {
    const { data, errors } = await ask(instanceHealth, { nodeId });
    if (signal.aborted) return;
    place.replaceChildren(
      ...(errors.length > 0 ? [element('p', { class: 'fault' }, errorMessages(errors))] : []),
      ...render(data?.node ?? null),
    );
  };
  void load();
  return place;
}

/** @param {InstanceHealth | null} health */
function render(health) {
  if (health === null) return [];
  const { availability: now, healthEvents } = health;
  const events = (healthEvents?.nodes ?? []).toSorted(compareEvents);
  const { list, show } = createEventList();
  show(events);
  return [
    ...(now === null
      ? []
      : [
          element(
            'p',
            { class: 'chips' },
            chip(instanceState(now.state)),
            element('span', {}, toPlainText(now.summary ?? '')),
            ...(now.since === null ? [] : [element('span', { class: 'facts' }, 'since ', time(now.since))]),
          ),
        ]),
    events.length > 0 ? list : element('p', { class: 'empty' }, 'No health event touches this instance.'),
  ];
}
