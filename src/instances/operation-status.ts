import type { ErrorDetail } from '../errors.ts';
import { readTime } from '../graph/date-time.ts';
import { decimalText } from '../graph/decimal.ts';
import { readErrorDetail } from '../upstream/error-answers.ts';
import { isObject, type JsonObject, textOrNull } from '../upstream/json.ts';

const states = ['RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED', 'UNKNOWN'] as const;
export type OperationState = (typeof states)[number];

/** A step of an operation, or an operation without its handle (document, B: OperationStatusResult). */
export interface StepRecord {
  readonly operationId: string | null;
  readonly name: string | null;
  readonly status: string | null;
  readonly state: OperationState;
  readonly startTime: string | null;
  readonly endTime: string | null;
  readonly percentComplete: number | null;
  readonly error: ErrorDetail | null;
  readonly operations: readonly StepRecord[];
}

export interface OperationRecord extends StepRecord {
  /** The handle. */
  readonly id: string;
}

const maxDepth = 8;
const maxSteps = 1000;

/**
 * A body of the status address, or of the stop itself, in the graph's words.
 *
 * Only the status word decides: transitions are not shown in the document, and any word that is not known
 * to be an end means the work goes on (docs/upstream.md). Without a word, an error or an end time does.
 */
export function readOperationStatus(body: unknown): StepRecord {
  return readStep(body, ofUpstream, 0, { left: maxSteps });
}

/** What another replica has told of an operation; null where none of this version can have. */
export function readToldStep(told: unknown): StepRecord | null {
  return isObject(told) && stateIn(told) ? readStep(told, ofReplica, 0, { left: maxSteps }) : null;
}

/** Who has written a step. */
interface Writer {
  readonly idName: 'id' | 'operationId';
  stateOf(step: JsonObject, error: ErrorDetail | null, endTime: string | null): OperationState;
}

const ofUpstream: Writer = {
  idName: 'id',
  stateOf: ({ status }, error, endTime) => readState(textOrNull(status), error, endTime),
};
const ofReplica: Writer = { idName: 'operationId', stateOf: (step) => stateIn(step) ?? 'UNKNOWN' };
const stateIn = ({ state }: JsonObject): OperationState | undefined => states.find((one) => one === state);

function readStep(body: unknown, writer: Writer, depth: number, count: { left: number }): StepRecord {
  const step = isObject(body) ? body : {};
  const error = readErrorDetail({ error: step.error });
  const endTime = readTime(step.endTime);
  const operations: StepRecord[] = [];
  if (Array.isArray(step.operations) && depth < maxDepth) {
    for (const nested of step.operations) {
      if (count.left-- > 0) operations.push(readStep(nested, writer, depth + 1, count));
    }
  }
  return {
    operationId: textOrNull(step[writer.idName]),
    name: textOrNull(step.name),
    status: textOrNull(step.status),
    state: writer.stateOf(step, error, endTime),
    startTime: readTime(step.startTime),
    endTime,
    percentComplete: readPercent(step.percentComplete),
    error,
    operations,
  };
}

function readState(status: string | null, error: ErrorDetail | null, endTime: string | null): OperationState {
  switch (status?.toLowerCase()) {
    case 'succeeded':
    case 'completed':
      return 'SUCCEEDED';
    case 'failed':
      return 'FAILED';
    case 'canceled':
    case 'cancelled':
      return 'CANCELED';
    case undefined:
      return error ? 'FAILED' : endTime ? 'SUCCEEDED' : 'RUNNING';
    default:
      return 'RUNNING';
  }
}

/** True for a state that no later look will change. */
export const isFinished = (state: OperationState): boolean => state !== 'RUNNING';

function readPercent(value: unknown): number | null {
  const percent = typeof value === 'string' ? null : decimalText(value);
  return percent === null ? null : Math.min(100, Math.max(0, Number(percent)));
}
