import { readCaller } from './bearer.ts';
import type { ApiRequest, ApiResponse } from './http.ts';
import { jsonResponse } from './http.ts';
import { sandboxLocation } from './instances/instance-address.ts';
import { cutPage } from './instances/pages.ts';
import { checkApiVersion, checkMethod, managementTokenErrors } from './management-requests.ts';
import { derivedGuid } from './seeded.ts';

const tenantId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
const subscriptionsPerPage = 2;

/** Subscriptions that every token sees; only the first has instances and events. */
const subscriptions = [
  { subscriptionId: sandboxLocation.subscription, displayName: 'Workloads', state: 'Enabled' },
  { subscriptionId: derivedGuid('subscription:trial'), displayName: 'Trial', state: 'Disabled' },
  { subscriptionId: derivedGuid('subscription:late'), displayName: 'Late payer', state: 'PastDue' },
  { subscriptionId: derivedGuid('subscription:odd'), displayName: 'Odd one', state: 'Paused' },
].map((one) => ({ id: `/subscriptions/${one.subscriptionId}`, tenantId, ...one }));

export const isSubscriptionListPath = (segments: readonly string[]): boolean =>
  segments.length === 1 && segments[0]?.toLowerCase() === 'subscriptions';

/** Lists the subscriptions of a caller, as the real service does; not part of the document. */
export function listSubscriptions(request: ApiRequest): ApiResponse {
  readCaller(request, managementTokenErrors);
  checkMethod(request, 'GET');
  checkApiVersion(request, '2022-12-01');
  const { value, ...next } = cutPage(request, subscriptions, subscriptionsPerPage);
  return jsonResponse(200, { value, ...next, count: { type: 'Total', value: subscriptions.length } });
}
