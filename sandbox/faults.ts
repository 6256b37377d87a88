import { badRequestError } from './api-error.ts';
import type { ApiResponse } from './http.ts';
import { emptyResponse } from './http.ts';
import type { JournalPart } from './journal.ts';
import type { JsonCheck } from './json-checks.ts';
import {
  checkFields,
  isBoolean,
  isCount,
  isHttpStatus,
  isJsonObject,
  isOneOf,
  isText,
} from './json-checks.ts';

/**
 * A fault that affects the next `times` matching requests or, with `part`, the next matching parts of batches.
 * With `status`, the request is not executed unless `after` is set.
 */
export interface Fault {
  readonly method?: string;
  readonly path?: string;
  /** Delays the response. The request is executed before the delay. */
  readonly delayMs?: number;
  /** Delays the execution, and so the response. The request is executed even when its caller has disconnected. */
  readonly lateMs?: number;
  readonly status?: number;
  /** Executes the request before responding with `status`, like a gateway that loses the response. */
  readonly after?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bytes?: number;
  readonly cutAt?: number;
  readonly reset?: 'before' | 'after';
  readonly part?: boolean;
  /** Omits the part from the response of its batch. With `before`, it is not executed either. */
  readonly missing?: boolean | 'before';
  /** Executes the request twice, like an intermediary that delivers it twice, and returns the second response. */
  readonly repeat?: boolean;
  /** Hides the created record from reads for this long. */
  readonly unseenMs?: number;
  /** Sends an unrequested `100 Continue` before the response. */
  readonly interim?: boolean;
  /** Closes the connection this long after the response. */
  readonly closeAfterMs?: number;
  times: number;
}

/** The faults that are set, in the order they were added. */
export interface Faults {
  /** Adds a fault from its JSON form. Throws an `ApiError` when it is invalid. */
  add(json: unknown): void;
  clear(): void;
  /** Returns the first matching fault that has times left, and decrements them. */
  takeForRequest(method: string, target: string): Fault | undefined;
  /** The same for a part of a batch. */
  takeForPart(method: string, target: string): Fault | undefined;
}

const faultChecks: Readonly<Record<string, JsonCheck>> = {
  method: isText,
  path: isText,
  times: isCount,
  delayMs: isCount,
  lateMs: isCount,
  status: isHttpStatus,
  after: isBoolean,
  headers: (value) => isJsonObject(value) && Object.values(value).every(isText),
  body: () => true,
  bytes: isCount,
  cutAt: isCount,
  reset: isOneOf('before', 'after'),
  part: isBoolean,
  missing: isOneOf(true, false, 'before'),
  repeat: isBoolean,
  unseenMs: isCount,
  interim: isBoolean,
  closeAfterMs: isCount,
};

/** A part of a batch has no connection of its own. */
const requestOnlyFields = [
  'delayMs',
  'lateMs',
  'bytes',
  'cutAt',
  'reset',
  'repeat',
  'unseenMs',
  'interim',
  'closeAfterMs',
];

/** Names of all fields of a fault. */
export const faultFields: readonly string[] = Object.keys(faultChecks);

export function createFaults(): Faults {
  let faults: Fault[] = [];

  function takeFrom(isPart: boolean, method: string, target: string): Fault | undefined {
    const fault = faults.find(
      (one) =>
        one.times > 0 &&
        (one.part === true) === isPart &&
        (one.method === undefined || one.method.toUpperCase() === method) &&
        (one.path === undefined || target.includes(one.path)),
    );
    if (fault) fault.times -= 1;
    return fault;
  }

  return {
    add(json) {
      if (!isJsonObject(json)) throw badRequestError('A fault must be a JSON object.');
      checkFields('a fault', json, faultChecks);
      const misplaced =
        json.part === true ? requestOnlyFields.find((name) => name in json) : json.missing && 'missing';
      if (misplaced)
        throw badRequestError(`'${misplaced}' cannot be combined with 'part': ${json.part ?? false}.`);
      if (json.after === true && json.status === undefined)
        throw badRequestError("'after' requires a 'status'.");
      faults.push({ times: 1, ...json });
    },
    clear() {
      faults = [];
    },
    takeForRequest: (method, target) => takeFrom(false, method, target),
    takeForPart: (method, target) => takeFrom(true, method, target),
  };
}

/** True when the fault prevents the execution of the request. */
export function preventsExecution(fault: Fault | undefined): boolean {
  if (fault?.reset === 'before' || fault?.missing === 'before') return true;
  return fault?.status !== undefined && fault.after !== true;
}

/** The response with the fault applied. A fault with a status replaces the whole response. */
export function applyFault(fault: Fault, real: ApiResponse): ApiResponse {
  const response = fault.status === undefined ? real : emptyResponse(fault.status);
  const headers = { ...response.headers, ...lowerCaseNames(fault.headers ?? {}) };
  const status = fault.status ?? response.status;
  if (fault.bytes !== undefined) return { status, headers, body: jsonOfSize(fault.bytes) };
  if (fault.body === undefined) return { status, headers, body: response.body };
  return typeof fault.body === 'string'
    ? { status, headers, body: fault.body }
    : {
        status,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(fault.body),
      };
}

/** Executes a part of a batch with a fault applied, and records its status in the journal. */
export function applyPartFault(
  fault: Fault | undefined,
  note: JournalPart,
  carryOut: () => ApiResponse,
): ApiResponse | undefined {
  const real = preventsExecution(fault) ? emptyResponse(0) : carryOut();
  if (fault?.missing) return undefined;
  const final = fault ? applyFault(fault, real) : real;
  note.status = final.status;
  return final;
}

/** A JSON string of blanks: valid JSON that is cheap to parse. */
function jsonOfSize(bytes: number): Uint8Array {
  const body = Buffer.alloc(bytes, ' ');
  if (bytes >= 2) {
    body[0] = 0x22;
    body[bytes - 1] = 0x22;
  }
  return body;
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
