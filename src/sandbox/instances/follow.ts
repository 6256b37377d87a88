import type { Call } from '../http.ts';
import type { Operation, OperationAddress } from './operations.ts';
import { isEnded, statusPath } from './operations.ts';

/** The headers that tell where an operation is to be followed. */
export function followHeaders(call: Call, operation: Operation): Record<string, string> {
  const { follow } = operation.behaviour;
  return {
    ...(follow === 'location' ? {} : statusHeader(call, operation, operation.address)),
    ...(follow === 'status' ? {} : locationHeader(call, operation)),
  };
}

export function locationHeader(call: Call, operation: Operation): Record<string, string> {
  const segment = operation.behaviour.result === 'status' ? 'operationStatuses' : 'operationResults';
  return { location: written(call, operation, statusPath(operation, operation.address, segment)) };
}

/** When to ask again: as the instance has it, else after as many whole seconds as a step takes. */
export function retryAfter(operation: Operation, now: number): Record<string, string> {
  const { behaviour, stepMs } = operation;
  if (isEnded(operation, now)) return {};
  if (behaviour.retryAfter === 'date') return { 'retry-after': new Date(now + 2_000).toUTCString() };
  if (behaviour.retryAfter === '') return {};
  if (behaviour.retryAfter !== undefined) return { 'retry-after': behaviour.retryAfter };
  return stepMs >= 1000 ? { 'retry-after': String(Math.floor(stepMs / 1000)) } : {};
}

/** The header with an address of an operation's status, in the spelling that the instance gives it. */
export function statusHeader(
  call: Call,
  operation: Operation,
  address: OperationAddress,
): Record<string, string> {
  return { [operation.behaviour.header]: written(call, operation, statusPath(operation, address), address) };
}

/** An address in the form that the instance gives it. */
function written(
  call: Call,
  operation: Operation,
  pathOnly: string,
  { query }: OperationAddress = operation.address,
): string {
  const path = `${pathOnly}?${query}`;
  const parts: Readonly<Record<string, string>> = {
    origin: call.origin,
    host: call.origin.replace(/^https?:\/\//, ''),
    path,
    relative: path.slice(1),
  };
  return operation.behaviour.address.replace(/\{(\w+)\}/g, (mark, name) => parts[name] ?? mark);
}
