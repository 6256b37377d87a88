import type { OperationOrigin } from './operation-handle.ts';
import { isFinished, type StepRecord } from './operation-status.ts';

/**
 * How long an operation has taken, in seconds: from its start to its end by the upstream's clock, or from its request to now by
 * this one. Null where its end is not known.
 */
export function computeDuration(
  { requestedAt, startTime, endTime, state }: StepRecord & Pick<OperationOrigin, 'requestedAt'>,
  now: number,
): number | null {
  const [from, to] = isFinished(state) ? [startTime ?? requestedAt, endTime] : [requestedAt, now];
  if (to === null) return null;
  const ms = (typeof to === 'number' ? to : Date.parse(to)) - Date.parse(from);
  return Number.isFinite(ms) ? Math.max(0, ms) / 1_000 : null;
}

/** An operation of a caller's list, with its final state where that is known. */
export interface KeptOperation {
  readonly origin: OperationOrigin;
  readonly last: StepRecord | null;
}

/**
 * How long the same action of the same instance took when it last succeeded before this one, in seconds, by the caller's own
 * list. Where the end of an earlier one is not known, at most one is read.
 */
export async function findLastDuration(
  operation: OperationOrigin,
  kept: readonly KeptOperation[],
  read: (id: string) => Promise<StepRecord | null>,
): Promise<number | null> {
  const key = actionKey(operation);
  if (key === null) return null;
  let isReadAllowed = true;
  for (const { origin, last } of kept) {
    if (origin.requestedAt >= operation.requestedAt || actionKey(origin) !== key) continue;
    if (last === null && !isReadAllowed) continue;
    if (last === null) isReadAllowed = false;
    const step = last ?? (await read(origin.id));
    const seconds = step?.state === 'SUCCEEDED' ? computeDuration({ ...origin, ...step }, 0) : null;
    if (seconds !== null) return seconds;
  }
  return null;
}

/** The same for the same action of the same instance: names are equal whatever their case. Null where they are not known. */
function actionKey(origin: OperationOrigin): string | null {
  const { action, instanceKind, subscriptionId, resourceGroupName, virtualInstanceName } = origin;
  if (action === null || instanceKind === null) return null;
  const { applicationInstanceName, centralInstanceName, databaseInstanceName } = origin;
  const name = applicationInstanceName ?? centralInstanceName ?? databaseInstanceName;
  const names = [subscriptionId, resourceGroupName, virtualInstanceName, name];
  return JSON.stringify([action, instanceKind, ...names.map((one) => one?.toLowerCase())]);
}
