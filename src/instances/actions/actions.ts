import { readNodeKey } from '../../graph/nodes.ts';
import { invalidInput, type UserError } from '../../graph/user-errors.ts';
import { type ActionTarget, type ResourceNames, validateInstanceAddress } from '../instance-address.ts';

/** A kind of resource that can be stopped and started. Its mutations are derived from this. */
export interface ActionKind {
  /** The type in the graph. */
  readonly type: 'ApplicationInstance' | 'CentralInstance' | 'DatabaseInstance' | 'VirtualInstance';
  /** Its name in texts, without an article. */
  readonly title: string;
  /** The path of fields from `Query` that reads one. */
  readonly readField: string;
  /** The names in its address, in the order of its key, with their descriptions. */
  readonly names: readonly (readonly [field: keyof ActionTarget & string, description: string])[];
  /** A sentence for the descriptions of its mutations; null for none. */
  readonly note: string | null;
  /** Whether one mutation can stop or start several. */
  readonly hasMany: boolean;
}

const virtualInstanceNames = [
  ['subscriptionId', 'The subscription that pays for the workload.'],
  ['resourceGroupName', 'The resource group of the workload, 1 to 90 characters; case makes no difference.'],
  ['virtualInstanceName', "The workload's virtual instance."],
] as const;

export const actionKinds: readonly ActionKind[] = [
  {
    type: 'ApplicationInstance',
    title: 'application server instance',
    readField: 'applicationInstance',
    names: [...virtualInstanceNames, ['applicationInstanceName', 'The application server instance.']],
    note: null,
    hasMany: true,
  },
  {
    type: 'CentralInstance',
    title: 'central instance',
    readField: 'virtualInstance.centralInstances',
    names: [...virtualInstanceNames, ['centralInstanceName', 'Its name within the virtual instance.']],
    note: null,
    hasMany: false,
  },
  {
    type: 'DatabaseInstance',
    title: 'database instance',
    readField: 'virtualInstance.databaseInstances',
    names: [...virtualInstanceNames, ['databaseInstanceName', 'Its name within the virtual instance.']],
    note: null,
    hasMany: false,
  },
  {
    type: 'VirtualInstance',
    title: 'virtual instance',
    readField: 'virtualInstance',
    names: virtualInstanceNames,
    note: 'Its application server instances and central instances are part of it, its databases are not.',
    hasMany: false,
  },
];

export function getTypeAt(names: ResourceNames): ActionKind['type'] {
  if (names.applicationInstanceName != null) return 'ApplicationInstance';
  if (names.centralInstanceName != null) return 'CentralInstance';
  return names.databaseInstanceName == null ? 'VirtualInstance' : 'DatabaseInstance';
}

/** Names a resource by one of these fields (`@oneOf`). */
export interface InstanceReference {
  readonly nodeId?: string | null | undefined;
  readonly names?: ActionTarget | null | undefined;
}

/** Returns the address that a reference names; null for a `nodeId` that is not of this kind. */
export function findReferencedAddress(
  { type, names: fields }: ActionKind,
  { nodeId, names }: InstanceReference,
): ActionTarget | null {
  if (names) return names;
  const values = readNodeKey(type, nodeId ?? '') ?? [];
  if (values.length !== fields.length) return null;
  const address = Object.fromEntries(
    fields.map(([field], index) => [field, values[index]]),
  ) as unknown as ActionTarget;
  return validateInstanceAddress(address).length === 0 ? address : null;
}

/** Returns the kind and the address that a `nodeId` names; null if it is not of area B. */
export function findNodeAddress(
  nodeId: string,
): { readonly kind: ActionKind; readonly address: ActionTarget } | null {
  for (const kind of actionKinds) {
    const address = findReferencedAddress(kind, { nodeId });
    if (address) return { kind, address };
  }
  return null;
}

export const unknownNodeId = ({ title }: ActionKind): UserError =>
  invalidInput(
    `This is not the \`nodeId\` of ${withArticle(title)}. Pass one as it was returned.`,
    'instance',
    'nodeId',
  );

export const withArticle = (title: string): string => `${/^[aeiou]/.test(title) ? 'an' : 'a'} ${title}`;

export type InstanceAction =
  | { readonly action: 'stop'; readonly softStopTimeoutSeconds: number; readonly deallocateVm?: boolean }
  | { readonly action: 'start'; readonly startVm?: boolean };

export type ActionRequest = ActionTarget & InstanceAction;

// The first api-version that can stop and start virtual machines, or a preview of it, which has the same date.
const firstVersionWithMachines = '2023-10-01';

/** Checks a request before it is sent; returns no errors if it is valid (source document, endpoints and limits, B). */
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

/** Returns the parameter of a request that also stops or starts the virtual machine; null without one. */
function findMachineField(request: InstanceAction): 'deallocateVm' | 'startVm' | null {
  if (request.action === 'stop') return request.deallocateVm ? 'deallocateVm' : null;
  return request.startVm ? 'startVm' : null;
}

/** Builds the body of the upstream call (source document, B, StopRequest). In the document's version a start has none. */
export function buildActionBody(request: InstanceAction): string | undefined {
  const machineField = findMachineField(request);
  const machineFields = machineField === null ? null : { [machineField]: true };
  if (request.action === 'start') return machineFields === null ? undefined : JSON.stringify(machineFields);
  return JSON.stringify({ softStopTimeoutSeconds: request.softStopTimeoutSeconds, ...machineFields });
}
