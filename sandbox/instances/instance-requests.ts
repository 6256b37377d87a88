import { readCaller } from '../bearer.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { managementTokenErrors } from '../management-requests.ts';
import { handleAction } from './actions.ts';
import type { Operations } from './operations.ts';
import { parseInstanceTarget } from './parameters.ts';
import {
  respondWithInstance,
  respondWithInstances,
  respondWithVirtualInstance,
  respondWithVirtualInstances,
} from './resource.ts';
import { handleStatusRequest } from './status.ts';
import { handleSystemAction } from './system-actions.ts';

/** Handles a request of area B. */
export function handleInstanceRequest(
  request: ApiRequest,
  segments: readonly string[],
  operations: Operations,
): ApiResponse {
  const status = handleStatusRequest(request, segments, operations);
  if (status) return status;
  const caller = readCaller(request, managementTokenErrors);
  const target = parseInstanceTarget(request, segments);
  switch (target.kind) {
    case 'virtualInstances':
      return respondWithVirtualInstances(request, target.scope, operations);
    case 'virtualInstance':
      return respondWithVirtualInstance(target.address, operations);
    case 'startSystem':
      return handleSystemAction(request, caller, 'start', target.address, operations);
    case 'stopSystem':
      return handleSystemAction(request, caller, 'stop', target.address, operations);
    case 'list':
      return respondWithInstances(request, target.address, operations);
    case 'instance':
      return respondWithInstance(target.address, operations);
    default:
      return handleAction(request, caller, target.kind, target.address, operations);
  }
}
