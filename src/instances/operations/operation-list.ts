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

/** Whether the state of an operation is needed, given what is selected of it beyond what its handle tells. */
export const needsState = (
  origin: OperationOrigin,
  filter: OperationFilter | null | undefined,
  { fields }: Pick<SelectedObject, 'fields'>,
): boolean =>
  filter?.state != null ||
  [...fields].some((field) => !(field in origin) && field !== 'nodeId' && field !== '__typename');

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

/** Puts first what runs. Otherwise the order stays. */
export const putRunningFirst = <Operation>(
  operations: readonly Operation[],
  isRunning: (operation: Operation) => boolean,
): readonly Operation[] =>
  operations.toSorted((one, other) => Number(isRunning(other)) - Number(isRunning(one)));

/**
 * Puts first what runs, and drops the operations in other states than those given, if any are. One whose state could not be
 * read may run; it rejects by itself.
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
  const wanted = states ? read.filter(({ state }) => state === null || states.includes(state)) : read;
  return putRunningFirst(wanted, ({ state }) => state === null || state === 'RUNNING').map(
    ({ operation }) => operation,
  );
}
