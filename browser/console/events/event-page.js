/**
 * The page of a health event, kept current by a subscription.
 *
 * @import { Subscribe } from '../graph.js'
 * @import { SetTitle } from '../router.js'
 * @import { FullHealthEvent, Impact, ImpactedRegion } from '../types.js'
 */

import { element, joinIsolated, setText } from '../../dom.js';
import { healthEventChanged } from '../documents.js';
import { errorMessages } from '../graph.js';
import { firstText, formatEnum, hasText } from '../labels.js';
import { toPlainText } from '../plain-text.js';
import { chip, eventState } from '../states.js';
import { time } from '../times.js';
import { eventChips } from './event-list.js';
import { nameOf } from './event-order.js';
import { createImpactedResources } from './event-resources.js';

/**
 * @param {Subscribe} subscribe
 * @param {string} scope
 * @param {string} trackingId
 * @param {AbortSignal} signal
 * @param {SetTitle} setTitle
 */
export function showEvent(subscribe, scope, trackingId, signal, setTitle) {
  setTitle(trackingId);
  const subscriptionId = scope === 'tenant' ? null : scope;
  const fault = element('p', { class: 'fault', role: 'status' });
  const body = element('div', {}, element('p', {}, 'Loading …'));
  const stop = subscribe(
    healthEventChanged,
    { trackingId, subscriptionId },
    {
      onData(data, errors) {
        const event = data?.healthEventChanged;
        setText(fault, errorMessages(errors) || (event ? '' : 'There is no such event.'));
        if (!event) return body.replaceChildren();
        setTitle(nameOf(event));
        body.replaceChildren(...renderEvent(event));
      },
      onEnd(errors) {
        if (errors.length === 0) return;
        setText(fault, errorMessages(errors));
        body.replaceChildren();
      },
    },
  );
  signal.addEventListener('abort', stop);
  return {
    above: element('p', { class: 'crumbs' }, element('a', { href: '#/events' }, 'Health events')),
    content: [fault, body, createImpactedResources(trackingId, subscriptionId, signal)],
  };
}

/** @param {FullHealthEvent} event */
function renderEvent(event) {
  const { summary, description, impact, recommendedActions: advice } = event;
  const texts = [...new Set(readTexts([summary, description]))];
  const actions = readTexts([
    advice?.message,
    ...(advice?.actions ?? []).map(({ actionText }) => actionText),
  ]);
  return [
    element('p', { class: 'chips' }, ...eventChips(event)),
    element(
      'p',
      { class: 'facts below' },
      ...joinIsolated([formatEnum(event.eventType, event.eventTypeRaw), event.trackingId]),
      ' · updated ',
      time(event.lastUpdateTime),
      ...(event.impactStartTime ? [' · impact from ', time(event.impactStartTime)] : []),
      ...(event.impactMitigationTime ? [' · until ', time(event.impactMitigationTime)] : []),
    ),
    ...(texts.length > 0
      ? [element('section', { class: 'panel' }, element('h2', {}, 'What happened'), ...texts.map(paragraph))]
      : []),
    ...(actions.length > 0
      ? [
          element(
            'section',
            { class: 'panel' },
            element('h2', {}, 'Recommended actions'),
            element('ul', {}, ...actions.map((text) => element('li', { class: 'said' }, text))),
          ),
        ]
      : []),
    ...((impact ?? []).length > 0 ? [renderImpact(impact ?? [])] : []),
  ];
}

/** @param {readonly (string | null | undefined)[]} texts */
const readTexts = (texts) => texts.map((text) => toPlainText(text ?? '')).filter(hasText);

/** @param {string} text */
const paragraph = (text) => element('p', { class: 'said' }, text);

/** @param {readonly Impact[]} impact */
const renderImpact = (impact) =>
  element(
    'section',
    { class: 'panel' },
    element('h2', {}, 'Services and updates'),
    ...impact.flatMap(({ impactedService, impactedRegions }) => [
      element('h3', {}, firstText(impactedService, 'Unnamed service')),
      ...(impactedRegions ?? []).map(renderRegion),
    ]),
  );

/** @param {ImpactedRegion} region */
const renderRegion = ({ impactedRegion, status, updates }) =>
  element(
    'div',
    { class: 'region' },
    element(
      'h4',
      {},
      firstText(impactedRegion, 'Unnamed region'),
      status === null ? null : chip(eventState(status)),
    ),
    (updates ?? []).length > 0
      ? element(
          'ol',
          { class: 'updates' },
          ...(updates ?? []).map(({ updateDateTime, summary }) =>
            element(
              'li',
              {},
              element('small', {}, time(updateDateTime)),
              paragraph(toPlainText(summary ?? '')),
            ),
          ),
        )
      : null,
  );
