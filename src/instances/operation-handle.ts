import type { ActionRequest } from './action-request.ts';
import type { InstanceAddress } from './instance-address.ts';
import type { StepRecord } from './operation-status.ts';
import type { StatusAddress } from './status-address.ts';

/**
 * The content of a handle: all that is needed to go on after a restart, and no credential. Handles are kept by clients,
 * so the names of these fields cannot change.
 */
export interface HandleContent {
  /** Null where the response named no status address, or was final. */
  readonly at: StatusAddress | null;
  /** When the action was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The final state, if it is known: from the response to the action itself, without its steps. */
  readonly last: StepRecord | null;
  /** The only caller who may follow the operation; null where the upstream tells callers apart by their tokens. */
  readonly owner: string | null;
  /** What was sent, and to which instance: not in handles of earlier versions, nor where a name is too long. */
  readonly action?: 'stop' | 'start';
  readonly instance?: InstanceAddress;
}

/** What a handle tells of its operation without a read. */
export interface OperationOrigin extends Readonly<Record<keyof InstanceAddress, string | null>> {
  /** The handle. */
  readonly id: string;
  readonly action: 'STOP' | 'START' | null;
  readonly requestedAt: string;
}

export interface OperationRecord extends StepRecord, OperationOrigin {}

export function readOrigin(id: string, { sentAt, action, instance }: HandleContent): OperationOrigin {
  return {
    id,
    action: action ? actionNames[action] : null,
    requestedAt: new Date(sentAt).toISOString(),
    subscriptionId: instance?.subscriptionId ?? null,
    resourceGroupName: instance?.resourceGroupName ?? null,
    virtualInstanceName: instance?.virtualInstanceName ?? null,
    applicationInstanceName: instance?.applicationInstanceName ?? null,
  };
}

// The real service has names of at most 90 characters.
const maxHandleName = 256;

export function describeRequest(request: ActionRequest): Pick<HandleContent, 'action' | 'instance'> {
  const { action, subscriptionId, resourceGroupName, virtualInstanceName, applicationInstanceName } = request;
  const instance = { subscriptionId, resourceGroupName, virtualInstanceName, applicationInstanceName };
  const isShort = Object.values(instance).every(({ length }) => length <= maxHandleName);
  return isShort ? { action, instance } : { action };
}

const actionNames = { stop: 'STOP', start: 'START' } as const;

// The length of a handle is limited, that of an upstream's texts is not.
const maxHandleText = 1024;

/** The step with texts that fit into a handle, and without what is nested below it. */
export function truncateStep(step: StepRecord): StepRecord {
  const truncate = (text: string | null) => text?.slice(0, maxHandleText) ?? null;
  const { operationId, name, status, error } = step;
  return {
    ...step,
    operationId: truncate(operationId),
    name: truncate(name),
    status: truncate(status),
    error: error && {
      code: truncate(error.code),
      message: truncate(error.message),
      target: truncate(error.target),
      details: [],
      additionalInfo: [],
    },
    operations: [],
  };
}

// A final state with more steps is read from the upstream each time.
const maxFinalLength = 4096;

/** The content of another handle of the same operation, with its final state; null where that is too long to keep. */
export const withFinalStep = (content: HandleContent, step: StepRecord): HandleContent | null =>
  JSON.stringify(step).length > maxFinalLength ? null : { ...content, at: null, last: step };
