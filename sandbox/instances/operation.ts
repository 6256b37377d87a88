import type { Behaviour } from './behaviour.ts';
import type { InstanceAddress } from './instance-address.ts';

/** The address of an operation's status: the last segment of its path, and the query. */
export interface OperationAddress {
  /** `<guid>*<64 hex digits>`. */
  readonly name: string;
  /** Polls must repeat it byte by byte. */
  readonly query: string;
}

/** A start or stop. Its progress depends only on the time. */
export interface InstanceOperation {
  readonly action: 'start' | 'stop';
  readonly instance: InstanceAddress;
  /** The behaviour of the instance at the start of the operation. */
  readonly behaviour: Behaviour;
  /** Status of the instance before the operation. */
  readonly before: string;
  /** Token of the caller who started it. Only this principal may read it. */
  readonly principal: string;
  readonly startedAt: number;
  readonly stepMs: number;
  readonly isSoft: boolean;
  readonly address: OperationAddress;
  /** Of a virtual instance: its components, in the order in which they are started or stopped. */
  readonly parts?: readonly OperationPart[];
  /** Of a component of it: its own part of the operation. */
  readonly part?: OperationPart;
  /** The address after a move. */
  newAddress?: OperationAddress;
  /** Number of polls. */
  polls: number;
}

/** What an operation of a virtual instance does to one of its components. */
export interface OperationPart {
  readonly id: string;
  readonly name: string;
  /** The steps at which it begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** Steps of every operation, each of `stepMs`. */
export const operationSteps = 5;

/** Path of an operation's status or, with `operationResults`, of its `Location`. */
export function statusPath(
  { instance }: Pick<InstanceOperation, 'instance'>,
  { name }: OperationAddress,
  segment: 'operationStatuses' | 'operationResults' = 'operationStatuses',
): string {
  const { subscription, namespace } = instance;
  return `/subscriptions/${encodeURIComponent(subscription)}/providers/${encodeURIComponent(namespace)}/locations/north/${segment}/${name}`;
}

/** Elapsed steps. Can exceed the number of steps. */
export function passedSteps({ stepMs, startedAt }: InstanceOperation, now: number): number {
  return stepMs <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((now - startedAt) / stepMs));
}

/** The step at which an operation succeeds or fails. */
export function endStep({ behaviour }: InstanceOperation): number {
  return behaviour.isEndless ? Number.POSITIVE_INFINITY : (behaviour.failsAtStep ?? operationSteps);
}

export function isEnded(operation: InstanceOperation, now: number): boolean {
  return !operation.behaviour.isEndless && passedSteps(operation, now) >= endStep(operation);
}
