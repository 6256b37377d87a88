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
 * Parses the body of a status response, or of the response to the action itself.
 *
 * A known `status` determines the state. The source document allows any string: with another one, or none, an error means
 * failed, an end time means succeeded, and neither means running.
 */
export function parseOperationStatus(body: unknown): StepRecord {
  return parseStep(body, upstreamSource, 0, { left: maxSteps });
}

/** Parses a step that another replica has published; null if it is invalid. */
export function parseSharedStep(shared: unknown): StepRecord | null {
  return isJsonObject(shared) && findState(shared)
    ? parseStep(shared, replicaSource, 0, { left: maxSteps })
    : null;
}

/** The differences between a step of the upstream and one of another replica. */
interface StepSource {
  readonly idField: 'id' | 'operationId';
  parseState(step: JsonObject, error: ErrorDetail | null, endTime: string | null): OperationState;
}

const upstreamSource: StepSource = {
  idField: 'id',
  parseState: ({ status }, error, endTime) => parseStatus(stringOrNull(status), error, endTime),
};
const replicaSource: StepSource = {
  idField: 'operationId',
  parseState: (step) => findState(step) ?? 'UNKNOWN',
};
const findState = ({ state }: JsonObject): OperationState | undefined =>
  operationStates.find((known) => known === state);

function parseStep(body: unknown, source: StepSource, depth: number, count: { left: number }): StepRecord {
  const step = isJsonObject(body) ? body : {};
  const error = readStepError(step);
  const endTime = parseDateTime(step.endTime);
  const operations: StepRecord[] = [];
  if (Array.isArray(step.operations) && depth < maxStepDepth) {
    for (const nested of step.operations) {
      if (count.left-- > 0) operations.push(parseStep(nested, source, depth + 1, count));
    }
  }
  return {
    operationId: stringOrNull(step[source.idField]),
    name: stringOrNull(step.name),
    status: stringOrNull(step.status),
    state: source.parseState(step, error, endTime),
    startTime: parseDateTime(step.startTime),
    endTime,
    percentComplete: parsePercent(step.percentComplete),
    error,
    operations,
  };
}

function parseStatus(
  status: string | null,
  error: ErrorDetail | null,
  endTime: string | null,
): OperationState {
  const word = status?.toLowerCase().replace(/[^a-z]/g, '') ?? '';
  if (/(accepted|running|inprogress)$/.test(word)) return 'RUNNING';
  return finalWords.get(word) ?? (error ? 'FAILED' : endTime ? 'SUCCEEDED' : 'RUNNING');
}

const finalWords: ReadonlyMap<string, OperationState> = new Map([
  ['succeeded', 'SUCCEEDED'],
  ['completed', 'SUCCEEDED'],
  ['failed', 'FAILED'],
  ['error', 'FAILED'],
  ['timedout', 'FAILED'],
  ['timeout', 'FAILED'],
  ['aborted', 'FAILED'],
  ['canceled', 'CANCELED'],
  ['cancelled', 'CANCELED'],
]);

/** Reads the error of a step. Some services write it as a string, or below `properties`. */
function readStepError({ error, properties }: JsonObject): ErrorDetail | null {
  for (const value of [error, isJsonObject(properties) ? properties.error : null]) {
    const detail = readErrorDetail({ error: stringOrNull(value) === null ? value : { message: value } });
    if (detail) return detail;
  }
  return null;
}

export const isFinished = (state: OperationState): boolean => state !== 'RUNNING';

function parsePercent(value: unknown): number | null {
  const percent = typeof value === 'string' ? null : formatDecimal(value);
  return percent === null ? null : Math.min(100, Math.max(0, Number(percent)));
}
