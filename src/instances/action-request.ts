import { invalidInput, type UserError } from '../graph/user-errors.ts';
import { addressFaults, type InstanceAddress } from './instance-address.ts';

/** What an instance can be told to do, and how. */
export type ActionRequest = InstanceAddress &
  ({ readonly action: 'stop'; readonly softStopTimeoutSeconds: number } | { readonly action: 'start' });

/** What is wrong with a request before it is sent; empty when nothing is (document, endpoints and limits, B). */
export function checkAction(request: ActionRequest): UserError[] {
  const faults = addressFaults(request).map(({ name, message }) => invalidInput(message, name));
  if (request.action === 'stop' && request.softStopTimeoutSeconds < 0) {
    faults.push(
      invalidInput('`softStopTimeoutSeconds` must be 0 or more; 0 is a hard stop.', 'softStopTimeoutSeconds'),
    );
  }
  return faults;
}

/** The body of the request (document, B, StopRequest); a start has none. */
export function actionBody(request: ActionRequest): string | undefined {
  if (request.action === 'start') return undefined;
  return JSON.stringify({ softStopTimeoutSeconds: request.softStopTimeoutSeconds });
}
