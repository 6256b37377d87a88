import { InputError } from '../../errors.ts';
import type { SelectedObject } from '../../graph/selected-object.ts';
import { findNodeAddress } from '../actions/actions.ts';
import type { ResourceNames } from '../instance-address.ts';
import {
  type InstanceKindName,
  kindNames,
  type OperationOrigin,
  type OperationRecord,
} from './operation-handle.ts';
import { type OperationState, parseOperationStatus } from './operation-status.ts';

/** Which operations to list: everything given must hold. */
export type OperationFilter = {
  readonly [Name in keyof ResourceNames]?: string | null | undefined;
} & {
  readonly instanceKind?: InstanceKindName | null | undefined;
  /** A `nodeId`. */
  readonly instance?: string | null | undefined;
  readonly state?: readonly OperationState[] | null | undefined;
  readonly since?: string | null | undefined;
};

/** What a handle tells, without a read: see `OperationOrigin`. */
const originFields: ReadonlySet<string> = new Set<keyof OperationOrigin | 'nodeId' | '__typename'>([
  'id',
  'nodeId',
  '__typename',
  'action',
  'requestedAt',
  'subscriptionId',
  'resourceGroupName',
  'virtualInstanceName',
  'applicationInstanceName',
  'centralInstanceName',
  'databaseInstanceName',
  'instanceKind',
]);

/** Whether the states of operations are needed, given what is selected of each. */
export const needsStates = (
  filter: OperationFilter | null | undefined,
  { fields }: Pick<SelectedObject, 'fields'>,
): boolean => filter?.state != null || [...fields].some((field) => !originFields.has(field));

/** Returns whether an operation meets the conditions that need no read. Throws `InputError` for a `nodeId` of nothing. */
export function compileOperationFilter(
  filter: OperationFilter | null | undefined,
): (origin: OperationOrigin) => boolean {
  const { since, state: _state, instance, ...names } = filter ?? {};
  const wanted = Object.entries(names);
  if (instance != null) {
    const found = findNodeAddress(instance);
    if (!found)
      throw new InputError(
        '`filter.instance` is not the `nodeId` of an instance or virtual instance. Pass one as it was returned.',
      );
    wanted.push(['instanceKind', kindNames[found.kind.type]], ...Object.entries(found.address));
  }
  const from = since == null ? null : Date.parse(since);
  return (origin) =>
    (from === null || Date.parse(origin.requestedAt) >= from) &&
    wanted.every(
      ([name, value]) =>
        value == null ||
        origin[name as keyof ResourceNames | 'instanceKind']?.toLowerCase() === value.toLowerCase(),
    );
}

/** Drops the operations in other states. One whose state could not be read stays, as an error of its own. */
export async function filterByState(
  operations: readonly Promise<OperationRecord>[],
  states: readonly OperationState[],
): Promise<readonly Promise<OperationRecord>[]> {
  const read = await Promise.allSettled(operations);
  return operations.filter((_operation, index) => {
    const result = read[index];
    return result?.status !== 'fulfilled' || states.includes(result.value.state);
  });
}

/** Returns how to handle the failure of a read: an upstream forgets operations sooner than they are forgotten here. */
export const unknownIfExpired =
  (origin: OperationOrigin) =>
  (error: unknown): OperationRecord => {
    if (!(error instanceof InputError && error.code === 'OPERATION_EXPIRED')) throw error;
    return { ...origin, ...parseOperationStatus(null), state: 'UNKNOWN' };
  };
