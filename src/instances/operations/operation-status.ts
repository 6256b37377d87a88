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
 * A known word decides the state, one of work under way included. With any other word, or none, an error or an end time
 * does: the source document has a free string, an end time of what has finished, and an error only of what has failed.
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
  const error = readStepError(step);
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

/** The error of a step, which some services write as text, or below `properties`. */
function readStepError({ error, properties }: JsonObject): ErrorDetail | null {
  for (const one of [error, isJsonObject(properties) ? properties.error : null]) {
    const detail = readErrorDetail({ error: stringOrNull(one) === null ? one : { message: one } });
    if (detail) return detail;
  }
  return null;
}

/** Whether a state is final. */
export const isFinished = (state: OperationState): boolean => state !== 'RUNNING';

function parsePercent(value: unknown): number | null {
  const percent = typeof value === 'string' ? null : formatDecimal(value);
  return percent === null ? null : Math.min(100, Math.max(0, Number(percent)));
}
