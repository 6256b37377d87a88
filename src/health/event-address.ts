import { findSegmentFault } from '../http/path-segment.ts';

/** The scope of the tenant's events; any other scope is the id of a subscription. */
export const tenantScope = 'tenant';

export interface EventAddress {
  readonly trackingId: string;
  /** Null for an event of the tenant. */
  readonly subscriptionId: string | null;
}

export interface HealthApiSettings {
  readonly namespace: string;
  readonly apiVersion: string;
  /** The operation that fetches billing events of a subscription; null if there is no special one. */
  readonly billingOperation: string | null;
}

/**
 * Builds the path and query of an event or of an operation on it (source document, endpoints, C). The address must be
 * valid.
 *
 * The source document defines the path for the tenant only; the path for a subscription is that of the real service
 * (docs/upstream.md).
 */
export function buildEventPath(
  settings: Pick<HealthApiSettings, 'namespace' | 'apiVersion'>,
  address: EventAddress,
  operation: string | null,
): string {
  const { namespace, apiVersion } = settings;
  return `${buildOperationPath(namespace, address, operation)}?api-version=${encodeURIComponent(apiVersion)}`;
}

/** Builds the path of an event or of an operation on it, without a query. */
export function buildOperationPath(
  namespace: string,
  { trackingId, subscriptionId }: EventAddress,
  operation: string | null,
): string {
  const event = `${buildEventsPath(namespace, subscriptionId)}/${encodeURIComponent(trackingId)}`;
  return operation === null ? event : `${event}/${encodeURIComponent(operation)}`;
}

/** Builds the path of the list of events, which is that of the real service (docs/upstream.md). */
export function buildEventsPath(namespace: string, subscriptionId: string | null): string {
  const scope = subscriptionId === null ? '' : `/subscriptions/${encodeURIComponent(subscriptionId)}`;
  return `${scope}/providers/${encodeURIComponent(namespace)}/events`;
}

/** Returns why an address is invalid, as an error message; null if it is valid. */
export function validateEventAddress({ trackingId, subscriptionId }: EventAddress): string | null {
  const trackingFault = findSegmentFault(trackingId);
  if (trackingFault)
    return `\`trackingId\` ${trackingFault} Use the tracking id that the event's notice shows.`;
  return validateEventScope(subscriptionId);
}

/** Returns why a subscription is invalid, as an error message; null if it is valid. */
export function validateEventScope(subscriptionId: string | null): string | null {
  if (subscriptionId === null) return null;
  const subscriptionFault = findSegmentFault(subscriptionId);
  const leaveOut = 'Use the id of a subscription, or omit it for the event as the tenant sees it.';
  if (subscriptionFault) return `\`subscriptionId\` ${subscriptionFault} ${leaveOut}`;
  // "tenant" as a scope would identify the tenant's event.
  return subscriptionId === tenantScope ? `\`subscriptionId\` must not be "tenant". ${leaveOut}` : null;
}
