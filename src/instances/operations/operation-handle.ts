import { InputError } from '../../errors.ts';
import { computeMac, createSealer, deriveKey } from '../../runtime/keyring.ts';
import { cutText } from '../../runtime/text.ts';
import { type ActionRequest, buildActionBody, getTypeAt } from '../actions/actions.ts';
import { type ActionTarget, toAllNames } from '../instance-address.ts';
import type { StepRecord } from './operation-status.ts';
import type { StatusAddress } from './status-reader.ts';

/** Handles of instance operations: encrypted text that replicas with the same secrets can decrypt. */
export interface OperationHandles {
  /** Encrypts the content of a handle. The result differs each time for the same content. */
  seal(content: unknown): string;
  /**
   * Returns the topic on which replicas with these secrets share the state of an operation as a principal sees it. The
   * address cannot be derived from it.
   */
  topicFor(principal: string, address: string): string;
  /** Decrypts a handle. Throws `InputError` if it was not sealed with one of these secrets. */
  open(handle: string): unknown;
}

// A status address may have 4 KB. Six texts of 1,024 characters, each escaped to at most six characters, have 36 KB.
const maxBytes = 49_152;

// Strings that most handles contain, so that a compressed handle contains little more than ids and names.
const dictionary = `"},"body":"{\\"deallocateVm\\":true}"}{\\"startVm\\":true}
,"action":"start","instance":{"centralInstanceName":"","databaseInstanceName":"
{"at":null,"sentAt":17,"last":{"operationId":null,"name":null,"status":"Succeeded","state":"SUCCEEDED","startTime":"20","endTime":"20","percentComplete":100,"error":null,"operations":[]},
"at":{"path":"/subscriptions/","isResult":true/providers//locations//operationStatuses/?api-version=2023-04-01","isResult":false},"sentAt":17,"last":null,"owner":null,"action":"stop","instance":{"subscriptionId":"","resourceGroupName":"","virtualInstanceName":"","applicationInstanceName":""},"body":"{\\"softStopTimeoutSeconds\\":0}"}`;

/** The first secret encrypts, all decrypt, so that secrets can be rotated. */
export function createOperationHandles(secrets: readonly string[]): OperationHandles {
  const sealer = createSealer({ secrets, purpose: 'tributary handle', maxBytes, dictionary });
  const topicKey = deriveKey(secrets[0] as string, 'tributary topic');

  return {
    seal: sealer.seal,
    topicFor: (principal, address) => computeMac(topicKey, JSON.stringify([principal, address])),
    open(handle) {
      const content = sealer.open(handle);
      if (content !== undefined) return content;
      throw new InputError(
        '`id` is not the handle of an operation: use the `id` that the mutation returned.',
      );
    },
  };
}

/**
 * The content of a handle: everything needed to follow the operation after a restart, but no credential. Clients keep
 * handles, so the names of these fields cannot change.
 */
export interface HandleContent {
  /** Null if the response named no status address, was final, or is unknown. */
  readonly at: StatusAddress | null;
  /** When the action was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The final state, if it is known: from the response to the action, or from a later read. */
  readonly last: StepRecord | null;
  /** The only caller who may follow the operation; null if the upstream tells callers apart by their tokens. */
  readonly owner: string | null;
  /** The action that was sent, and its instance. */
  readonly action: 'stop' | 'start';
  readonly instance: ActionTarget;
  /** The body that was sent, if there was one. */
  readonly body?: string;
}

/** The fields of an operation that its handle contains. */
export type OperationOrigin = ReturnType<typeof readOrigin>;

export type InstanceKindName = (typeof kindNames)[keyof typeof kindNames];

export interface OperationRecord extends StepRecord, OperationOrigin {}

export const readOrigin = (id: string, { sentAt, action, instance }: HandleContent) => ({
  id,
  action: actionNames[action],
  requestedAt: new Date(sentAt).toISOString(),
  ...toAllNames(instance),
  instanceKind: kindNames[getTypeAt(instance)],
});

/** A request as a handle contains it. */
export type RequestDescription = Pick<HandleContent, 'action' | 'instance' | 'body'>;

export function describeRequest(request: ActionRequest): RequestDescription {
  const names = Object.entries(toAllNames(request)).filter(([, name]) => name !== null);
  const instance = Object.fromEntries(names) as unknown as ActionTarget;
  const body = buildActionBody(request);
  return { action: request.action, instance, ...(body !== undefined && { body }) };
}

export const kindNames = {
  ApplicationInstance: 'APPLICATION_INSTANCE',
  CentralInstance: 'CENTRAL_INSTANCE',
  DatabaseInstance: 'DATABASE_INSTANCE',
  VirtualInstance: 'VIRTUAL_INSTANCE',
} as const;

const actionNames = { stop: 'STOP', start: 'START' } as const;

// Handles have a limited length; texts of an upstream do not.
const maxHandleText = 1024;

/** Cuts the texts of a step to fit into a handle, and removes nested steps and details. */
export function truncateStep(step: StepRecord): StepRecord {
  const truncate = (text: string | null) => (text === null ? null : cutText(text, maxHandleText));
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

// A longer final state is not stored but read from the upstream each time.
const maxFinalLength = 4096;

/** Returns the content of another handle of the same operation with its final state; null if that is too long. */
export const withFinalStep = (content: HandleContent, step: StepRecord): HandleContent | null =>
  JSON.stringify(step).length > maxFinalLength ? null : { ...content, at: null, last: step };
