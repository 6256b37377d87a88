import { invalidInput, type UserError } from '../graph/user-errors.ts';
import { type InstanceAddress, validateInstanceAddress } from './instance-address.ts';

/** An action of an instance, with its parameters. */
export type ActionRequest = InstanceAddress &
  ({ readonly action: 'stop'; readonly softStopTimeoutSeconds: number } | { readonly action: 'start' });

/** Checks a request before it is sent; empty where it is valid (source document, endpoints and limits, B). */
export function validateAction(request: ActionRequest): UserError[] {
  const faults = validateInstanceAddress(request).map(({ name, message }) => invalidInput(message, name));
  if (request.action === 'stop' && request.softStopTimeoutSeconds < 0) {
    faults.push(
      invalidInput('`softStopTimeoutSeconds` must be 0 or more; 0 is a hard stop.', 'softStopTimeoutSeconds'),
    );
  }
  return faults;
}

/** The body of the upstream call (source document, B, StopRequest); a start has none. */
export function buildActionBody(request: ActionRequest): string | undefined {
  if (request.action === 'start') return undefined;
  return JSON.stringify({ softStopTimeoutSeconds: request.softStopTimeoutSeconds });
}
