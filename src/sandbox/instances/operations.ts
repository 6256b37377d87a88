import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Events } from '../health/events.ts';
import { createEvents } from '../health/events.ts';
import type { Behaviour } from './behaviour.ts';
import type { InstanceAddress, Instances } from './instances.ts';
import { createInstances } from './instances.ts';

/** Where an operation can be asked about: the last segment of its path, and the query. */
export interface OperationAddress {
  /** `<guid>*<64 hex digits>`. */
  readonly name: string;
  /** It must come back byte for byte. */
  readonly query: string;
}

/** An operation under way. Its state follows from the clock alone. */
export interface Operation {
  readonly action: 'start' | 'stop';
  readonly instance: InstanceAddress;
  /** Of the instance when it began. */
  readonly behaviour: Behaviour;
  /** Status of the instance before. */
  readonly before: string;
  /** Token of the caller who started it, the only one who may read it. */
  readonly principal: string;
  readonly startedAt: number;
  readonly stepMs: number;
  readonly isSoft: boolean;
  readonly address: OperationAddress;
  /** Where it has moved to. */
  newAddress?: OperationAddress;
  /** How often its status was asked for. */
  polls: number;
}

type Begun = Omit<Operation, 'startedAt' | 'address' | 'newAddress' | 'polls'>;

interface Found {
  readonly operation: Operation;
  readonly address: OperationAddress;
}

/** What areas B and C remember: instances with what is done with them, and health events. */
export interface Operations {
  /** How long a step takes where an instance does not say. */
  stepMs: number;
  readonly instances: Instances;
  readonly events: Events;
  begin(begun: Begun): Operation;
  find(name: string): Found | undefined;
  /** The new address of an operation that moves; the same each time. */
  move(operation: Operation): OperationAddress;
}

/** Steps of every operation; each takes `stepMs` and is a fifth of the whole. */
export const steps = 5;

export function createOperations(stepMs: number): Operations {
  const byName = new Map<string, Found>();

  function addressFor(operation: Pick<Operation, 'instance' | 'behaviour'>): OperationAddress {
    const id = randomUUID();
    const digest = createHash('sha256').update(id).digest('hex').toUpperCase();
    const address = { name: `${id}*${digest}`, query: signedQuery(operation.behaviour.apiVersion) };
    const { addressLength = 0 } = operation.behaviour;
    const missing = addressLength - statusPath(operation, address).length - address.query.length - 1;
    return missing < 3 ? address : { ...address, query: `${address.query}&h=${filler(missing - 3)}` };
  }

  function keep(found: Found): void {
    byName.set(found.address.name.toLowerCase(), found);
  }

  return {
    stepMs,
    instances: createInstances(),
    events: createEvents(Date.now()),
    begin(begun) {
      const operation = { ...begun, startedAt: Date.now(), address: addressFor(begun), polls: 0 };
      keep({ operation, address: operation.address });
      return operation;
    },
    find: (name) => byName.get(name.toLowerCase()),
    move(operation) {
      operation.newAddress ??= addressFor(operation);
      keep({ operation, address: operation.newAddress });
      return operation.newAddress;
    },
  };
}

/** Path of an operation's status, or of the result that `Location` names. */
export function statusPath(
  { instance }: Pick<Operation, 'instance'>,
  { name }: OperationAddress,
  segment: 'operationStatuses' | 'operationResults' = 'operationStatuses',
): string {
  const { subscription, namespace } = instance;
  return `/subscriptions/${encodeURIComponent(subscription)}/providers/${encodeURIComponent(namespace)}/locations/north/${segment}/${name}`;
}

/** Steps that have passed, whether there are so many or not. */
export function passedSteps({ stepMs, startedAt }: Operation, now: number): number {
  return stepMs <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((now - startedAt) / stepMs));
}

/** The step at which an operation is at its end, well or not. */
export function endStep({ behaviour }: Operation): number {
  return behaviour.isEndless ? Number.POSITIVE_INFINITY : (behaviour.failsAtStep ?? steps);
}

/** True once an operation has come to its end, well or not. */
export function isEnded(operation: Operation, now: number): boolean {
  return !operation.behaviour.isEndless && passedSteps(operation, now) >= endStep(operation);
}

/** A signature whose encoding a caller changes as soon as it parses and prints the address anew. */
function signedQuery(apiVersion: string): string {
  const digest = randomBytes(24).toString('hex');
  return `api-version=${apiVersion}&t=${Date.now()}0000&c=MII%2fa~${digest}%2B!*%3d%3D`;
}

/** Letters, with characters between them that may stand in a query plainly as well as encoded. */
function filler(length: number): string {
  return "kR7*'!~(x)-_.Zb:".repeat(Math.ceil(length / 16)).slice(0, length);
}
