import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { ErrorDetail } from '../refusal.ts';

/** What an operation does: it runs through all steps, or fails at one of them. */
export interface Script {
  readonly failsAtStep?: number;
  readonly error?: ErrorDetail & { readonly additionalInfo?: readonly unknown[] };
}

/** An operation under way. Its state follows from the clock alone. */
interface Operation {
  /** Last segment of its address, `<guid>*<64 hex digits>`. */
  readonly name: string;
  readonly subscription: string;
  readonly namespace: string;
  /** Query of its address; it must come back byte for byte. */
  readonly query: string;
  /** Token of the caller who started it, the only one who may read it. */
  readonly principal: string;
  readonly startedAt: number;
  readonly isSoft: boolean;
  readonly script: Script;
}

export interface Operations {
  readonly stepMs: number;
  start(given: Pick<Operation, 'subscription' | 'namespace' | 'principal' | 'isSoft' | 'script'>): Operation;
  find(name: string): Operation | undefined;
}

/** Steps of every operation; each takes `stepMs` and is a fifth of the whole. */
const steps = 5;

export function createOperations(stepMs: number): Operations {
  const operations = new Map<string, Operation>();

  return {
    stepMs,
    start(given) {
      const id = randomUUID();
      const digest = createHash('sha256').update(id).digest('hex').toUpperCase();
      const operation = { ...given, name: `${id}*${digest}`, query: signedQuery(), startedAt: Date.now() };
      operations.set(operation.name.toLowerCase(), operation);
      return operation;
    },
    find: (name) => operations.get(name.toLowerCase()),
  };
}

/** Path and query of an operation's status. */
export function statusAddress({ subscription, namespace, name, query }: Operation): string {
  return `/subscriptions/${encodeURIComponent(subscription)}/providers/${encodeURIComponent(namespace)}/locations/north/operationStatuses/${name}?${query}`;
}

/** An OperationStatusResult (B) for a moment in time. */
export function statusOf(operation: Operation, stepMs: number, now: number): Record<string, unknown> {
  const elapsed = stepMs <= 0 ? steps : Math.floor((now - operation.startedAt) / stepMs);
  const end = operation.script.failsAtStep ?? steps;
  const step = Math.min(elapsed, end);
  const [id = ''] = statusAddress(operation).split('?');
  const isEnded = step === end;
  return {
    id,
    name: operation.name,
    status: isEnded
      ? endWord(operation.script)
      : step === 0
        ? 'Preparing System Configuration'
        : 'InProgress',
    startTime: timeAt(operation, 0, stepMs),
    ...(isEnded ? { endTime: timeAt(operation, end, stepMs) } : {}),
    percentComplete: (step * 100) / steps,
    operations: phasesOf(operation).map((phase) => phaseStatus(operation, phase, step, stepMs, id)),
    ...(isEnded && operation.script.error ? { error: operation.script.error } : {}),
  };
}

/** True once an operation has come to its end, well or not. */
export function isEnded(operation: Operation, stepMs: number, now: number): boolean {
  return stepMs <= 0 || (now - operation.startedAt) / stepMs >= (operation.script.failsAtStep ?? steps);
}

interface Phase {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The nested operations. A soft shutdown is shown, but not waited for as long as asked. */
function phasesOf({ isSoft }: Operation): Phase[] {
  const soft = { name: 'soft-shutdown', from: 0, to: 2 };
  return [
    ...(isSoft ? [soft] : []),
    { name: 'stop-process', from: isSoft ? 2 : 0, to: 4 },
    { name: 'verify', from: 4, to: 5 },
  ];
}

function phaseStatus(
  operation: Operation,
  { name, from, to }: Phase,
  step: number,
  stepMs: number,
  id: string,
): Record<string, unknown> {
  const base = { id: `${id}/operations/${name}`, name };
  const { failsAtStep } = operation.script;
  const failsHere =
    failsAtStep !== undefined && step >= failsAtStep && from <= failsAtStep && failsAtStep < to;
  const percentComplete = Math.max(0, Math.min(100, ((step - from) * 100) / (to - from)));
  if (step < from) return { ...base, status: 'NotStarted', percentComplete: 0 };
  const startTime = timeAt(operation, from, stepMs);
  if (step < to && !failsHere) return { ...base, status: 'InProgress', startTime, percentComplete };
  return {
    ...base,
    status: failsHere ? endWord(operation.script) : 'Succeeded',
    startTime,
    endTime: timeAt(operation, failsHere ? step : to, stepMs),
    percentComplete,
    ...(failsHere ? { error: operation.script.error } : {}),
  };
}

function endWord(script: Script): string {
  return script.failsAtStep === undefined ? 'Succeeded' : 'Failed';
}

function timeAt(operation: Operation, step: number, stepMs: number): string {
  return new Date(operation.startedAt + step * stepMs).toISOString();
}

/** A signature whose encoding a caller changes as soon as it parses and prints the address anew. */
function signedQuery(): string {
  const digest = randomBytes(24).toString('hex');
  return `api-version=2023-04-01&t=${Date.now()}0000&c=MII%2fa~${digest}%2B!*%3d%3D`;
}
