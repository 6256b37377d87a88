import { segmentFault } from '../upstream/path-segment.ts';

/** The scope of events that are the whole tenant's; any other scope is a subscription's id. */
export const tenantScope = 'tenant';

export interface EventAddress {
  readonly trackingId: string;
  /** Null for the tenant's view of the event. */
  readonly subscriptionId: string | null;
}

export interface HealthPlace {
  readonly namespace: string;
  readonly apiVersion: string;
}

/**
 * Path and query of the fetch (document, endpoints, C). The names must have passed `addressFault`.
 *
 * The document has the tenant's form only; the subscription's is the real service's (docs/upstream.md).
 */
export function eventPath(
  { namespace, apiVersion }: HealthPlace,
  { trackingId, subscriptionId }: EventAddress,
): string {
  const event = `${eventsPath(namespace, subscriptionId)}/${encodeURIComponent(trackingId)}`;
  return `${event}/fetchEventDetails?api-version=${encodeURIComponent(apiVersion)}`;
}

/** Path of the list of events, as the real service has it (docs/upstream.md). */
export function eventsPath(namespace: string, subscriptionId: string | null): string {
  const scope = subscriptionId === null ? '' : `/subscriptions/${encodeURIComponent(subscriptionId)}`;
  return `${scope}/providers/${encodeURIComponent(namespace)}/events`;
}

/** What is wrong with an event's address before anything is sent, as a sentence; null when nothing is. */
export function addressFault({ trackingId, subscriptionId }: EventAddress): string | null {
  const trackingFault = segmentFault(trackingId);
  if (trackingFault) return `\`trackingId\` ${trackingFault} Give it as the event's notice shows it.`;
  return scopeFault(subscriptionId);
}

/** The same of the subscription alone. */
export function scopeFault(subscriptionId: string | null): string | null {
  if (subscriptionId === null) return null;
  const subscriptionFault = segmentFault(subscriptionId);
  const leaveOut = "Give the subscription's id, or leave it out for the tenant's view of the event.";
  if (subscriptionFault) return `\`subscriptionId\` ${subscriptionFault} ${leaveOut}`;
  // As a scope it would name another record than it fetched.
  return subscriptionId === tenantScope ? `\`subscriptionId\` must not be "tenant". ${leaveOut}` : null;
}
