import type { ErrorDetail } from '../errors.ts';
import { readTime } from '../graph/date-time.ts';
import { decimalText } from '../graph/decimal.ts';
import { readErrorDetail } from '../upstream/error-answers.ts';
import { isObject, textOrNull } from '../upstream/json.ts';

export type OperationState = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELED' | 'UNKNOWN';

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
  return readStep(body, 0, { left: maxSteps });
}

function readStep(body: unknown, depth: number, count: { left: number }): StepRecord {
  const step = isObject(body) ? body : {};
  const error = readErrorDetail({ error: step.error });
  const endTime = readTime(step.endTime);
  const operations: StepRecord[] = [];
  if (Array.isArray(step.operations) && depth < maxDepth) {
    for (const nested of step.operations) {
      if (count.left-- > 0) operations.push(readStep(nested, depth + 1, count));
    }
  }
  return {
    operationId: textOrNull(step.id),
    name: textOrNull(step.name),
    status: textOrNull(step.status),
    state: readState(textOrNull(step.status), error, endTime),
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
