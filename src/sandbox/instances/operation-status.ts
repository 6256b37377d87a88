import { idOfInstance } from './instances.ts';
import type { Operation, OperationAddress } from './operations.ts';
import { endStep, passedSteps, statusPath, steps } from './operations.ts';

/** An OperationStatusResult (B) for a moment in time, as one of the operation's addresses shows it. */
export function statusOf(
  operation: Operation,
  now: number,
  address: OperationAddress = operation.address,
): Record<string, unknown> {
  const { behaviour, instance, newAddress } = operation;
  const end = endStep(operation);
  const hasMoved = newAddress !== undefined && address !== newAddress;
  const last = hasMoved ? Math.min(end, behaviour.movesAtStep ?? end) : Math.min(end, steps);
  const passed = Math.min(passedSteps(operation, now), last);
  const isEnded = passed === end;
  // An operation without an end stays where the last step would begin.
  const step = isEnded ? passed : Math.min(passed, steps - 1);
  const id = statusPath(operation, address);
  const body = {
    id: behaviour.isSelfNamed ? idOfInstance(instance) : id,
    name: behaviour.isSelfNamed ? instance.name : address.name,
    status: isEnded ? endWord(operation) : byStep(behaviour.words, step),
    startTime: timeAt(operation, 0),
    ...(isEnded ? { endTime: timeAt(operation, end) } : {}),
    percentComplete: behaviour.percents ? byStep(behaviour.percents, step) : (step * 100) / steps,
    operations: phasesOf(operation).map((phase) => phaseStatus(operation, phase, step, id)),
    ...(isEnded && behaviour.error ? { error: behaviour.error } : {}),
    ...behaviour.body,
    ...(isEnded ? behaviour.endBody : {}),
  };
  return Object.fromEntries(Object.entries(body).filter(([field]) => !behaviour.omit?.includes(field)));
}

/** The end of an operation, as an answer that names the instance rather than the operation. */
export function endOf(operation: Operation): Record<string, unknown> {
  const { instance, behaviour } = operation;
  return {
    id: idOfInstance(instance),
    name: instance.name,
    status: endWord(operation),
    startTime: timeAt(operation, 0),
    endTime: timeAt(operation, Math.min(endStep(operation), steps)),
    error: behaviour.error ?? null,
  };
}

/** The status a whole operation ends with. */
function endWord({ behaviour }: Operation): string {
  return behaviour.endWord ?? (behaviour.failsAtStep === undefined ? 'Succeeded' : 'Failed');
}

/** The time a step begins, as the instance writes times. */
function timeAt(operation: Operation, step: number): string {
  const time = new Date(operation.startedAt + step * operation.stepMs).toISOString();
  switch (operation.behaviour.times) {
    case 'iso':
      return time;
    case 'seven':
      return time.replace('Z', '3530+00:00');
    case 'blank':
      return time.replace('T', ' ').replace('Z', ' +0000');
  }
}

interface Phase {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The nested operations. A soft shutdown is shown, but not waited for as long as asked. */
function phasesOf({ action, isSoft }: Operation): Phase[] {
  const soft = { name: 'soft-shutdown', from: 0, to: 2 };
  return [
    ...(isSoft ? [soft] : []),
    { name: `${action}-process`, from: isSoft ? 2 : 0, to: 4 },
    { name: 'verify', from: 4, to: 5 },
  ];
}

function phaseStatus(
  operation: Operation,
  { name, from, to }: Phase,
  step: number,
  id: string,
): Record<string, unknown> {
  const base = { id: `${id}/operations/${name}`, name };
  const { failsAtStep, error, depth } = operation.behaviour;
  const failsHere =
    failsAtStep !== undefined && step >= failsAtStep && from <= failsAtStep && failsAtStep < to;
  const percentComplete = Math.max(0, Math.min(100, ((step - from) * 100) / (to - from)));
  if (step < from) return nest({ ...base, status: 'NotStarted', percentComplete: 0 }, depth);
  const startTime = timeAt(operation, from);
  if (step < to && !failsHere)
    return nest({ ...base, status: 'InProgress', startTime, percentComplete }, depth);
  const ended = {
    ...base,
    status: failsHere ? endWord(operation) : 'Succeeded',
    startTime,
    endTime: timeAt(operation, failsHere ? step : to),
    percentComplete,
    ...(failsHere && error ? { error } : {}),
  };
  return nest(ended, depth);
}

/** The same once more below itself, as often as said. */
function nest(status: Record<string, unknown>, depth: number): Record<string, unknown> {
  if (depth === 0) return status;
  const below = { ...status, id: `${status.id}/operations/part`, name: `${status.name}-part` };
  return { ...status, operations: [nest(below, depth - 1)] };
}

function byStep(list: readonly unknown[], step: number): unknown {
  return list[Math.min(step, list.length - 1)];
}
