import { ApiError } from '../api-error.ts';
import { type Caller, forbiddenError } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse } from '../http.ts';
import { managementTokenErrors } from '../management-requests.ts';
import { readSoftStopSeconds } from './actions.ts';
import { defaultBehaviour, type SentError } from './behaviour.ts';
import {
  type ComponentKind,
  componentKinds,
  type InstanceAddress,
  instanceId,
  type VirtualInstanceAddress,
} from './instance-address.ts';
import type { Instance } from './instances.ts';
import { isEnded, type OperationPart } from './operation.ts';
import type { Operations } from './operations.ts';
import { restingStatus } from './resource.ts';
import { followHeaders } from './status.ts';
import { findVirtualInstance, type VirtualInstance } from './virtual-instances.ts';

/**
 * From which step to which the components of each kind are stopped or started: application servers stop before the central
 * instances that coordinate them, and start after them. Databases are no part of it (gap: see docs/upstream.md).
 */
const order: Readonly<Record<'start' | 'stop', readonly SystemStage[]>> = {
  stop: [
    { kind: 'applicationInstances', from: 0, to: 3 },
    { kind: 'centralInstances', from: 3, to: 5 },
  ],
  start: [
    { kind: 'centralInstances', from: 0, to: 3 },
    { kind: 'applicationInstances', from: 3, to: 5 },
  ],
};

interface SystemStage {
  readonly kind: ComponentKind;
  readonly from: number;
  readonly to: number;
}

interface Concerned {
  readonly instance: Instance;
  readonly address: InstanceAddress;
  readonly part: OperationPart;
}

/** Starts or stops a virtual instance (B): one operation, with a nested one for each of its components. */
export function handleSystemAction(
  request: ApiRequest,
  caller: Caller,
  action: 'start' | 'stop',
  address: VirtualInstanceAddress,
  operations: Operations,
): ApiResponse {
  const system = findVirtualInstance(operations.virtualInstances, address, 'Resource');
  if (caller.isReader) throw forbiddenError(managementTokenErrors);
  const isSoft = readSoftStopSeconds(request, action) > 0;
  const { subscription, group, namespace, segment } = address;
  const place = { subscription, group, namespace, segment, virtualInstance: system.name };
  const concerned = listConcerned(system, action, place);
  checkIsFree(concerned.map(({ instance }) => instance));
  const parts = concerned.map(({ part }) => part);
  const failed = parts.find(({ error }) => error !== undefined);
  const behaviour = failed?.error
    ? { ...defaultBehaviour, failsAtStep: failed.to, error: systemError(action, system.name, failed) }
    : defaultBehaviour;
  const whole = operations.begin({
    action,
    principal: caller.token,
    stepMs: operations.stepMs,
    isSoft,
    instance: { ...place, component: 'applicationInstances', name: system.name },
    behaviour,
    before: 'Running',
    parts,
  });
  for (const { instance, address: own, part } of concerned) {
    const before = restingStatus(instance, Date.now());
    instance.operation = { ...whole, instance: own, part, before };
  }
  return emptyResponse(202, followHeaders(request, whole));
}

/** The components of a system in their order. A failure ends the operation a step early; later components never begin. */
function listConcerned(
  { components, failure }: VirtualInstance,
  action: 'start' | 'stop',
  place: VirtualInstanceAddress,
): readonly Concerned[] {
  const failedKind = componentKinds.find((kind) => failure && components[kind].has(failure.component));
  return order[action].flatMap(({ kind, from, to }) =>
    [...components[kind].values()].map((instance) => {
      const address = { ...place, component: kind, name: instance.name };
      const id = instanceId(address);
      const end = kind === failedKind ? to - 1 : to;
      const isFailed = kind === failedKind && instance.name === failure?.component;
      const error = isFailed ? (failure.error ?? componentError(action, instance.name)) : undefined;
      return { instance, address, part: { id, name: instance.name, from, to: end, ...(error && { error }) } };
    }),
  );
}

const componentError = (action: 'start' | 'stop', name: string): SentError => ({
  code: action === 'stop' ? 'InstanceStopFailed' : 'InstanceStartFailed',
  message: explainedMessage(
    `The instance ${name} could not be ${action === 'stop' ? 'stopped' : 'started'}.`,
    'The sapstartsrv service is not running on the virtual machine of the instance',
    `Start the sapstartsrv service on the virtual machine, then ${action} the instance again`,
  ),
  target: name,
});

const systemError = (action: 'start' | 'stop', name: string, { error }: OperationPart): SentError => ({
  code: action === 'stop' ? 'SystemStopFailed' : 'SystemStartFailed',
  message: `The system ${name} could not be ${action === 'stop' ? 'stopped' : 'started'}.`,
  target: name,
  details: [error],
});

/** In the form of the one error of a stop that is published (Azure/azure-cli-extensions#6912). */
const explainedMessage = (what: string, causes: string, advice: string): string =>
  ['', what, `Possible Causes: ${causes}.`, `Recommended Action: ${advice}.`].join(`\n${' '.repeat(24)}`);

/** Throws an `ApiError` (409) while an instance of the system starts or stops. */
function checkIsFree(instances: readonly Instance[]): void {
  const now = Date.now();
  const busy = instances.find(({ operation }) => operation && !isEnded(operation, now));
  if (!busy) return;
  throw new ApiError(409, 'Conflict', `The instance '${busy.name}' is being changed.`, {
    target: busy.name,
    details: [{ code: 'OperationInProgress', message: 'Retry after it has finished.' }],
  });
}
