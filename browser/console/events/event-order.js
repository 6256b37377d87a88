/**
 * The order of health events. Does not use the DOM.
 *
 * @import { HealthEvent, Impact } from '../types.js'
 */
import { firstText, hasText, joinParts } from '../labels.js';
import { toPlainText } from '../plain-text.js';

const levels = ['CRITICAL', 'ERROR', 'WARNING', 'INFORMATIONAL'];
/** In the order of the source document, which does not place the others. */
const types = ['SERVICE_ISSUE', 'PLANNED_MAINTENANCE', 'HEALTH_ADVISORY'];

/** @param {readonly string[]} ranked @param {string | null} value what is not ranked comes last */
const rank = (ranked, value) =>
  value !== null && ranked.includes(value) ? ranked.indexOf(value) : ranked.length;

/**
 * Active before resolved; then by severity; then by the upstream's priority, or the place of its kind where it has
 * none; then the newest first.
 *
 * @param {HealthEvent} one
 * @param {HealthEvent} other
 */
export function compareEvents(one, other) {
  return (
    Number(one.status !== 'ACTIVE') - Number(other.status !== 'ACTIVE') ||
    rank(levels, one.eventLevel) - rank(levels, other.eventLevel) ||
    priorityOf(one) - priorityOf(other) ||
    rank(types, one.eventType) - rank(types, other.eventType) ||
    Date.parse(other.lastUpdateTime ?? '0') - Date.parse(one.lastUpdateTime ?? '0')
  );
}

/** The upstream counts from 0 to 23: eight for each kind. @param {HealthEvent} event */
const priorityOf = ({ priority, eventType }) => priority ?? 8 * rank(types, eventType) + 7;

/** @param {Pick<HealthEvent, 'title' | 'trackingId'>} event */
export const nameOf = ({ title, trackingId }) => firstText(toPlainText(title ?? ''), trackingId);

/** @param {HealthEvent} event */
export const keyOf = ({ scope, trackingId }) => `${scope} ${trackingId}`;

/** @param {readonly Impact[] | null} impact */
export const listServices = (impact) => unique((impact ?? []).map(({ impactedService }) => impactedService));

/** @param {readonly Impact[] | null} impact */
export const listRegions = (impact) =>
  unique(
    (impact ?? []).flatMap(({ impactedRegions }) =>
      (impactedRegions ?? []).map(({ impactedRegion }) => impactedRegion),
    ),
  );

/** @param {readonly (string | null)[]} texts */
const unique = (texts) => [...new Set(texts.filter(hasText))];

/** All that an event is searched by. @param {HealthEvent} event */
export const eventText = (event) =>
  joinParts([
    toPlainText(event.title ?? ''),
    event.trackingId,
    ...listServices(event.impact).map(String),
    ...listRegions(event.impact).map(String),
  ]).toLowerCase();
