import type { Answer } from './http.ts';
import { empty } from './http.ts';
import type { JournalPart } from './journal.ts';
import { badRequest } from './refusal.ts';

/**
 * A disturbance of the next `times` requests that match, or, with `part`, of the next parts of batches.
 * `status` keeps the request from being carried out, unless `after` lets the answer alone get lost.
 */
export interface Fault {
  readonly method?: string;
  readonly path?: string;
  /** Answers so much later. The request is carried out before the wait. */
  readonly delayMs?: number;
  /** Carries the request out, and answers, so much later, even where its caller has hung up meanwhile. */
  readonly lateMs?: number;
  readonly status?: number;
  /** Carries the request out before `status` is answered, as a gateway that fails on the way back. */
  readonly after?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bytes?: number;
  readonly cutAt?: number;
  readonly reset?: 'before' | 'after';
  readonly part?: boolean;
  /** Leaves the part out of the batch's answer; with `before` it is not carried out either. */
  readonly missing?: boolean | 'before';
  times: number;
}

/** The faults in wait, in the order they were set. */
export interface Faults {
  /** Adds a fault from its JSON form; throws a `Refusal` that names the mistake. */
  add(json: unknown): void;
  clear(): void;
  /** The first matching fault with times left, which has then one time less. */
  take(method: string, target: string): Fault | undefined;
  /** The same for a part of a batch. */
  takePart(method: string, target: string): Fault | undefined;
}

type Check = (value: unknown) => boolean;

const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isText: Check = (value) => typeof value === 'string';

const checks: Readonly<Record<string, Check>> = {
  method: isText,
  path: isText,
  times: isCount,
  delayMs: isCount,
  lateMs: isCount,
  status: (value) => isCount(value) && (value as number) >= 200 && (value as number) <= 599,
  after: (value) => typeof value === 'boolean',
  headers: (value) => isObject(value) && Object.values(value).every(isText),
  body: () => true,
  bytes: isCount,
  cutAt: isCount,
  reset: (value) => value === 'before' || value === 'after',
  part: (value) => typeof value === 'boolean',
  missing: (value) => typeof value === 'boolean' || value === 'before',
};

/** A part has no connection of its own to delay, cut or reset. */
const ofRequestsOnly = ['delayMs', 'lateMs', 'bytes', 'cutAt', 'reset'];

/** The names a fault may have, for the index and for messages. */
export const faultFields: readonly string[] = Object.keys(checks);

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
      if (!isObject(json)) throw badRequest('A fault is a JSON object.');
      for (const [name, value] of Object.entries(json)) {
        const check = checks[name];
        if (!check) throw badRequest(`A fault has no '${name}'; it has ${faultFields.join(', ')}.`);
        if (!check(value)) throw badRequest(`'${name}' of a fault cannot be ${JSON.stringify(value)}.`);
      }
      const misplaced =
        json.part === true ? ofRequestsOnly.find((name) => name in json) : json.missing && 'missing';
      if (misplaced) throw badRequest(`'${misplaced}' does not go with 'part': ${json.part ?? false}.`);
      if (json.after === true && json.status === undefined) throw badRequest("'after' goes with a 'status'.");
      faults.push({ times: 1, ...json });
    },
    clear() {
      faults = [];
    },
    take: (method, target) => takeFrom(false, method, target),
    takePart: (method, target) => takeFrom(true, method, target),
  };
}

/** True for what is answered, or not, without being carried out. */
export function isKeptFrom(fault: Fault | undefined): boolean {
  if (fault?.reset === 'before' || fault?.missing === 'before') return true;
  return fault?.status !== undefined && fault.after !== true;
}

/**
 * The answer a fault makes of the real one, of which it keeps what it does not replace: with a status
 * of its own, nothing.
 */
export function disturb(fault: Fault, real: Answer): Answer {
  const answer = fault.status === undefined ? real : empty(fault.status);
  const headers = { ...answer.headers, ...lowerCased(fault.headers ?? {}) };
  const status = fault.status ?? answer.status;
  if (fault.bytes !== undefined) return { status, headers, body: jsonOfSize(fault.bytes) };
  if (fault.body === undefined) return { status, headers, body: answer.body };
  return typeof fault.body === 'string'
    ? { status, headers, body: fault.body }
    : {
        status,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(fault.body),
      };
}

/** Answers a part of a batch, disturbed where there is a fault, and notes its status. */
export function disturbPart(
  fault: Fault | undefined,
  note: JournalPart,
  carryOut: () => Answer,
): Answer | undefined {
  const real = isKeptFrom(fault) ? empty(0) : carryOut();
  if (fault?.missing) return undefined;
  const final = fault ? disturb(fault, real) : real;
  note.status = final.status;
  return final;
}

/** A JSON string of blanks, so that it is valid and costs its reader only its size. */
function jsonOfSize(bytes: number): Uint8Array {
  const body = Buffer.alloc(bytes, ' ');
  if (bytes >= 2) {
    body[0] = 0x22;
    body[bytes - 1] = 0x22;
  }
  return body;
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
