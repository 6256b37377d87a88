import { ApiError } from '../api-error.ts';
import { principalOf } from '../bearer.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { jsonResponse, parseQuery } from '../http.ts';
import { checkApiVersion, checkMethod } from '../management-requests.ts';
import { derivedGuid } from '../seeded.ts';
import { sandboxLocation } from './instance-address.ts';
import type { InstanceOperation } from './operation.ts';
import { cutPage } from './pages.ts';

const logVersion = '2015-04-01';
const eventsPerPage = 200;

/** An event, as on the real service (Azure/azure-rest-api-specs, monitor, activityLogs_API.json), with a part of its fields. */
interface LoggedEvent {
  readonly caller: string;
  readonly correlationId: string;
  readonly operationId: string;
  readonly eventTimestamp: string;
  readonly resourceId: string;
  readonly operationName: { readonly value: string };
  readonly resourceProviderName: { readonly value: string };
  readonly status: { readonly value: string };
}

/** The events of starts and stops, oldest first. */
export type ActivityLog = LoggedEvent[];

/** Adds the two events of an accepted action. The id of its request is their correlation id. */
export function logAction(
  { activityLog }: { readonly activityLog: ActivityLog },
  { requestId }: ApiRequest,
  { action, instance, principal, startedAt }: InstanceOperation,
  resourceId: string,
): void {
  const { namespace } = instance;
  const type = resourceId
    .split('/')
    .slice(7)
    .filter((_part, index) => index % 2 === 0);
  for (const status of ['Started', 'Accepted'])
    activityLog.push({
      caller: nameCaller(principal),
      correlationId: requestId,
      operationId: requestId,
      eventTimestamp: new Date(startedAt).toISOString().replace('Z', '1234Z'),
      resourceId,
      operationName: { value: [namespace, ...type, action, 'action'].join('/') },
      resourceProviderName: { value: namespace },
      status: { value: status },
    });
}

/** Who signed in, by name; for any other token an id, as the real service has it of applications. */
const nameCaller = (token: string): string =>
  token.includes('~') ? `${principalOf(token)}@sandbox.example` : derivedGuid(`caller:${token}`);

/** True for the path of the log of a subscription. */
export const isActivityLogPath = ([subscriptions, , providers, , ...rest]: readonly string[]): boolean =>
  subscriptions?.toLowerCase() === 'subscriptions' &&
  providers?.toLowerCase() === 'providers' &&
  rest.join('/').toLowerCase() === 'eventtypes/management/values';

// The service allows this form, and a resource group, a resource or a correlation id in place of the provider.
const filterPattern =
  /^eventTimestamp ge '([^']+)' and eventTimestamp le '([^']+)' and resourceProvider eq '([^']+)'$/;

/** Lists the events of a time range and a provider, newest first. */
export function respondWithActivityLog(
  request: ApiRequest,
  subscription: string,
  { activityLog }: { readonly activityLog: ActivityLog },
): ApiResponse {
  checkMethod(request, 'GET');
  checkApiVersion(request, logVersion);
  const [, from = '', to = '', provider = ''] =
    filterPattern.exec(parseQuery(request.query).get('$filter') ?? '') ?? [];
  if (provider === '')
    throw new ApiError(400, 'BadRequest', 'The $filter must have a time range and a resource provider.');
  const isOwn = subscription.toLowerCase() === sandboxLocation.subscription;
  const found = activityLog.filter(
    ({ eventTimestamp, resourceProviderName }) =>
      isOwn &&
      Date.parse(eventTimestamp) >= Date.parse(from) &&
      Date.parse(eventTimestamp) <= Date.parse(to) &&
      resourceProviderName.value.toLowerCase() === provider.toLowerCase(),
  );
  return jsonResponse(200, cutPage(request, found.reverse(), eventsPerPage));
}
