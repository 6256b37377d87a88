import type { ApiRequest } from '../http.ts';
import type { InstanceOperation, OperationAddress } from './operation.ts';
import { isEnded, statusPath } from './operation.ts';

/** The headers with the addresses of an operation's status. */
export function followHeaders(request: ApiRequest, operation: InstanceOperation): Record<string, string> {
  const { follow } = operation.behaviour;
  return {
    ...(follow === 'location' ? {} : statusHeader(request, operation, operation.address)),
    ...(follow === 'status' ? {} : locationHeader(request, operation)),
  };
}

export function locationHeader(request: ApiRequest, operation: InstanceOperation): Record<string, string> {
  const segment = operation.behaviour.result === 'status' ? 'operationStatuses' : 'operationResults';
  return { location: formatAddress(request, operation, statusPath(operation, operation.address, segment)) };
}

/** `Retry-After` as the instance defines it, or the duration of a step in whole seconds. */
export function retryAfterHeader(operation: InstanceOperation, now: number): Record<string, string> {
  const { behaviour, stepMs } = operation;
  if (isEnded(operation, now)) return {};
  if (behaviour.retryAfter === 'date') return { 'retry-after': new Date(now + 2_000).toUTCString() };
  if (behaviour.retryAfter === '') return {};
  if (behaviour.retryAfter !== undefined) return { 'retry-after': behaviour.retryAfter };
  return stepMs >= 1000 ? { 'retry-after': String(Math.floor(stepMs / 1000)) } : {};
}

export function statusHeader(
  request: ApiRequest,
  operation: InstanceOperation,
  address: OperationAddress,
): Record<string, string> {
  return {
    [operation.behaviour.header]: formatAddress(request, operation, statusPath(operation, address), address),
  };
}

/** Formats an address by the template of the instance. */
function formatAddress(
  request: ApiRequest,
  operation: InstanceOperation,
  pathOnly: string,
  { query }: OperationAddress = operation.address,
): string {
  const path = `${pathOnly}?${query}`;
  const parts: Readonly<Record<string, string>> = {
    origin: request.origin,
    host: request.origin.replace(/^https?:\/\//, ''),
    path,
    relative: path.slice(1),
  };
  return operation.behaviour.address.replace(/\{(\w+)\}/g, (mark, name) => parts[name] ?? mark);
}
