import { ApiError } from './api-error.ts';
import { readCaller } from './bearer.ts';
import { handleAvailabilityRequest, isAvailabilityPath } from './health/availability.ts';
import type { EventStore } from './health/events.ts';
import { handleHealthRequest, isEventPath, usesFlatErrors } from './health/health.ts';
import { type ApiRequest, type ApiResponse, decodeSegment, jsonResponse } from './http.ts';
import { sandboxSubscriptions } from './instances/instance-address.ts';
import { handleInstanceRequest } from './instances/instance-requests.ts';
import type { Operations } from './instances/operations.ts';
import { respondWithPage } from './instances/parameters.ts';
import { checkApiVersion, checkMethod, managementTokenErrors } from './management-requests.ts';

interface ManagementData {
  readonly operations: Operations;
  readonly events: EventStore;
}

/** True for the paths that belong to areas B and C. */
export function isManagementPath(path: string): boolean {
  return /^\/(subscriptions|providers)(\/|$)/i.test(path);
}

/** Handles a request of area B or C. Errors are nested in B and, with one exception, flat in C (Errors). */
export function handleManagementRequest(
  request: ApiRequest,
  { operations, events }: ManagementData,
): ApiResponse {
  const segments = request.path
    .split('/')
    .slice(1)
    .map((segment) => decodeSegment(segment) ?? segment);
  try {
    return withRequestId(respond(request, segments, { operations, events }), request);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isFlat = isAvailabilityPath(segments) || usesFlatErrors(segments, error.status);
    const body = isFlat ? flatError(error) : { error: nestedError(error) };
    return withRequestId(jsonResponse(error.status, body, error.extras.headers), request);
  }
}

function respond(
  request: ApiRequest,
  segments: readonly string[],
  { operations, events }: ManagementData,
): ApiResponse {
  if (isSubscriptionListPath(segments)) return listSubscriptions(request);
  if (isEventPath(segments)) return handleHealthRequest(request, segments, events);
  if (!isAvailabilityPath(segments)) return handleInstanceRequest(request, segments, operations);
  return handleAvailabilityRequest(request, segments, operations.virtualInstances, events.availability);
}

/** B: `{ error: ErrorDetail }`. The error for an unknown operation has no code, as on real services. */
function nestedError({ code, message, extras }: ApiError): Record<string, unknown> {
  return {
    ...(code === '' ? {} : { code }),
    message,
    ...(extras.target === undefined ? {} : { target: extras.target }),
    details: extras.details ?? [],
  };
}

/** C: `details` is a string. */
function flatError({ code, message, extras }: ApiError): Record<string, unknown> {
  return { code, message, details: extras.target ?? '' };
}

function withRequestId(response: ApiResponse, request: ApiRequest): ApiResponse {
  const { requestId } = request;
  // A request that the service makes no other requests for has the same id as all of them together.
  const ids = { 'request-id': requestId, 'x-ms-correlation-request-id': requestId };
  return { ...response, headers: { ...response.headers, ...ids } };
}

const tenantId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
const subscriptionsPerPage = 2;

const subscriptions = sandboxSubscriptions.map((one) => ({
  id: `/subscriptions/${one.subscriptionId}`,
  tenantId,
  ...one,
}));

const isSubscriptionListPath = (segments: readonly string[]): boolean =>
  segments.length === 1 && segments[0]?.toLowerCase() === 'subscriptions';

/** Lists the subscriptions of a caller, as the real service does; not part of the document. */
function listSubscriptions(request: ApiRequest): ApiResponse {
  readCaller(request, managementTokenErrors);
  checkMethod(request, 'GET');
  checkApiVersion(request, '2022-12-01');
  return respondWithPage(request, subscriptions, subscriptionsPerPage, (one) => one);
}
