import { invalidInput, type UserError } from '../../graph/user-errors.ts';
import { type ActionTarget, validateInstanceAddress } from '../instance-address.ts';

/** An action with its parameters. */
export type InstanceAction =
  | { readonly action: 'stop'; readonly softStopTimeoutSeconds: number; readonly deallocateVm?: boolean }
  | { readonly action: 'start'; readonly startVm?: boolean };

/** An action of an instance. */
export type ActionRequest = ActionTarget & InstanceAction;

// The first version of the service that can stop and start virtual machines; a preview of it begins with the same date.
const firstVersionWithMachines = '2023-10-01';

/** Checks a request before it is sent; empty where it is valid (source document, endpoints and limits, B). */
export function validateAction(request: ActionRequest, apiVersion: string): UserError[] {
  const faults = validateInstanceAddress(request).map(({ name, message }) =>
    invalidInput(message, 'instance', 'names', name),
  );
  if (request.action === 'stop' && request.softStopTimeoutSeconds < 0) {
    faults.push(
      invalidInput('`softStopTimeoutSeconds` must be 0 or more; 0 is a hard stop.', 'softStopTimeoutSeconds'),
    );
  }
  const machineField = findMachineField(request);
  if (machineField !== null && apiVersion < firstVersionWithMachines)
    faults.push(
      invalidInput(
        `\`${machineField}\` needs the api-version 2023-10-01-preview or a later one. That of INSTANCES_TYPE is ${apiVersion}.`,
        machineField,
      ),
    );
  return faults;
}

/** The field of a request that asks for a change of the virtual machine, too; null for one that does not. */
function findMachineField(request: InstanceAction): 'deallocateVm' | 'startVm' | null {
  if (request.action === 'stop') return request.deallocateVm ? 'deallocateVm' : null;
  return request.startVm ? 'startVm' : null;
}

/** The body of the upstream call (source document, B, StopRequest); a start has none in the version of the document. */
export function buildActionBody(request: InstanceAction): string | undefined {
  const machineField = findMachineField(request);
  const ofMachine = machineField === null ? null : { [machineField]: true };
  if (request.action === 'start') return ofMachine === null ? undefined : JSON.stringify(ofMachine);
  return JSON.stringify({ softStopTimeoutSeconds: request.softStopTimeoutSeconds, ...ofMachine });
}
