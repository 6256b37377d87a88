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
import type { OperationState } from './operation-status.ts';

/** Which operations to list: those that meet every given condition. */
export type OperationFilter = {
  readonly [Name in keyof ResourceNames]?: string | null | undefined;
} & {
  readonly instanceKind?: InstanceKindName | null | undefined;
  /** A `nodeId`. */
  readonly instance?: string | null | undefined;
  readonly state?: readonly OperationState[] | null | undefined;
  readonly since?: string | null | undefined;
};

/**
 * Whether the state of an operation is needed: for the filter, or for a selected field that its handle does not
 * contain.
 */
export const needsState = (
  origin: OperationOrigin,
  filter: OperationFilter | null | undefined,
  { fields }: Pick<SelectedObject, 'fields'>,
): boolean =>
  filter?.state != null ||
  [...fields].some((field) => !(field in origin) && field !== 'nodeId' && field !== '__typename');

/** Compiles the conditions that need no read. Throws `InputError` for an invalid `nodeId`. */
export function compileOperationFilter(
  filter: OperationFilter | null | undefined,
): (origin: OperationOrigin) => boolean {
  const { since, state: _state, instance, ...names } = filter ?? {};
  const expected = Object.entries(names);
  if (instance != null) {
    const found = findNodeAddress(instance);
    if (!found)
      throw new InputError(
        '`filter.instance` is not the `nodeId` of an instance or virtual instance. Pass one as it was returned.',
      );
    expected.push(['instanceKind', kindNames[found.kind.type]], ...Object.entries(found.address));
  }
  const from = since == null ? null : Date.parse(since);
  return (origin) =>
    (from === null || Date.parse(origin.requestedAt) >= from) &&
    expected.every(
      ([name, value]) =>
        value == null ||
        origin[name as keyof ResourceNames | 'instanceKind']?.toLowerCase() === value.toLowerCase(),
    );
}

/** Moves running operations to the front; otherwise keeps the order. */
export const putRunningFirst = <Operation>(
  operations: readonly Operation[],
  isRunning: (operation: Operation) => boolean,
): readonly Operation[] =>
  operations.toSorted((one, other) => Number(isRunning(other)) - Number(isRunning(one)));

/**
 * Filters operations by state, if `states` are given, and moves running ones to the front. An operation whose state
 * could not be read is kept, and counts as running; its promise rejects.
 */
export async function arrangeByState(
  operations: readonly Promise<OperationRecord>[],
  states: readonly OperationState[] | null | undefined,
): Promise<readonly Promise<OperationRecord>[]> {
  const settled = await Promise.allSettled(operations);
  const read = operations.map((operation, index) => {
    const result = settled[index];
    return { operation, state: result?.status === 'fulfilled' ? result.value.state : null };
  });
  const matching = states ? read.filter(({ state }) => state === null || states.includes(state)) : read;
  return putRunningFirst(matching, ({ state }) => state === null || state === 'RUNNING').map(
    ({ operation }) => operation,
  );
}
