import { readCaller } from '../bearer.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { managementTokenErrors } from '../management-requests.ts';
import { handleAction } from './actions.ts';
import type { Operations } from './operations.ts';
import { parseInstanceTarget } from './parameters.ts';
import { respondWithInstance, respondWithInstances } from './resource.ts';
import { handleStatusRequest } from './status.ts';

/** Handles a request of area B. */
export function handleInstanceRequest(
  request: ApiRequest,
  segments: readonly string[],
  operations: Operations,
): ApiResponse {
  const status = handleStatusRequest(request, segments, operations);
  if (status) return status;
  const caller = readCaller(request, managementTokenErrors);
  const { kind, address } = parseInstanceTarget(request, segments);
  switch (kind) {
    case 'list':
      return respondWithInstances(request, address, operations.instances);
    case 'instance':
      return respondWithInstance(address, operations.instances);
    default:
      return handleAction(request, caller, kind, address, operations);
  }
}
