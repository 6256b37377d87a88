import type { ErrorDetail } from '../../errors.ts';
import { parseDateTime } from '../../graph/date-time.ts';
import { formatDecimal } from '../../graph/decimal.ts';
import { readErrorDetail } from '../../http/errors.ts';
import { isJsonObject, type JsonObject, stringOrNull } from '../../runtime/json.ts';

const operationStates = ['RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELED', 'UNKNOWN'] as const;
export type OperationState = (typeof operationStates)[number];

/** A step of an operation, or an operation without its handle (source document, B: OperationStatusResult). */
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

const maxStepDepth = 8;
const maxSteps = 1000;

/**
 * Parses the body of a status address, or of the response to the action itself.
 *
 * Only the status word decides the state: the source document shows no transitions, and a word that is not known to be
 * final means that the operation is running (docs/upstream.md). Without a word, an error or an end time decides.
 */
export function parseOperationStatus(body: unknown): StepRecord {
  return parseStep(body, upstreamSource, 0, { left: maxSteps });
}

/** Parses a step that another replica has published; null for one that none of this version can have. */
export function parseSharedStep(shared: unknown): StepRecord | null {
  return isJsonObject(shared) && findState(shared)
    ? parseStep(shared, replicaSource, 0, { left: maxSteps })
    : null;
}

/** How a step is parsed: as the upstream writes it, or as another replica does. */
interface StepSource {
  readonly idField: 'id' | 'operationId';
  stateOf(step: JsonObject, error: ErrorDetail | null, endTime: string | null): OperationState;
}

const upstreamSource: StepSource = {
  idField: 'id',
  stateOf: ({ status }, error, endTime) => parseStatusWord(stringOrNull(status), error, endTime),
};
const replicaSource: StepSource = { idField: 'operationId', stateOf: (step) => findState(step) ?? 'UNKNOWN' };
const findState = ({ state }: JsonObject): OperationState | undefined =>
  operationStates.find((one) => one === state);

function parseStep(body: unknown, writer: StepSource, depth: number, count: { left: number }): StepRecord {
  const step = isJsonObject(body) ? body : {};
  const error = readErrorDetail({ error: step.error });
  const endTime = parseDateTime(step.endTime);
  const operations: StepRecord[] = [];
  if (Array.isArray(step.operations) && depth < maxStepDepth) {
    for (const nested of step.operations) {
      if (count.left-- > 0) operations.push(parseStep(nested, writer, depth + 1, count));
    }
  }
  return {
    operationId: stringOrNull(step[writer.idField]),
    name: stringOrNull(step.name),
    status: stringOrNull(step.status),
    state: writer.stateOf(step, error, endTime),
    startTime: parseDateTime(step.startTime),
    endTime,
    percentComplete: parsePercent(step.percentComplete),
    error,
    operations,
  };
}

function parseStatusWord(
  status: string | null,
  error: ErrorDetail | null,
  endTime: string | null,
): OperationState {
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

/** Whether a state is final. */
export const isFinished = (state: OperationState): boolean => state !== 'RUNNING';

function parsePercent(value: unknown): number | null {
  const percent = typeof value === 'string' ? null : formatDecimal(value);
  return percent === null ? null : Math.min(100, Math.max(0, Number(percent)));
}
