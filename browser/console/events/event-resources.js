/**
 * The resources that a health event affects, with links to those that are instances.
 *
 * @import { ImpactedResource } from '../types.js'
 */

import { element, joinIsolated } from '../../dom.js';
import { impactedResources } from '../documents.js';
import { ask, errorMessages } from '../graph.js';
import { firstText, formatCount } from '../labels.js';
import { formatRoute } from '../router.js';

/**
 * Reads them once, apart from the event, which they would delay.
 *
 * @param {string} trackingId
 * @param {string | null} subscriptionId
 * @param {AbortSignal} signal
 */
export function createImpactedResources(trackingId, subscriptionId, signal) {
  const place = element('section', { class: 'panel', hidden: true });
  const load = async () => {
    const { data, errors } = await ask(impactedResources, { trackingId, subscriptionId });
    if (signal.aborted) return;
    const list = data?.healthEvent?.impactedResources;
    const nodes = list?.nodes ?? [];
    const missing = (list?.totalCount ?? 0) - nodes.length;
    place.hidden = nodes.length === 0 && errors.length === 0;
    place.replaceChildren(
      element('h2', {}, 'Affected resources'),
      ...(errors.length > 0 ? [element('p', { class: 'fault' }, errorMessages(errors))] : []),
      element('ul', { class: 'resources' }, ...nodes.map(renderResource)),
      ...(missing > 0 ? [element('p', { class: 'facts' }, `${formatCount(missing, 'more resource')}.`)] : []),
    );
  };
  void load();
  return place;
}

/** @param {ImpactedResource} resource */
function renderResource({ targetResourceId, targetResourceType, targetRegion, info, instance }) {
  const described = (info ?? []).map(({ key, value }) => `${key}: ${value}`).join(', ');
  const name = firstText(...(targetResourceId ?? '').split('/').toReversed(), described, 'Unnamed resource');
  return element(
    'li',
    {},
    instance
      ? element('a', { href: formatRoute('instances', instance.nodeId) }, name)
      : element('span', {}, name),
    ' ',
    element(
      'small',
      { title: targetResourceId },
      ...joinIsolated([targetResourceType ?? '', targetRegion ?? '']),
    ),
  );
}
