import { badRequestError } from '../api-error.ts';
import { isBusinessPath } from '../business/address.ts';
import { isBatchPath } from '../business/batch.ts';
import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse, parseQuery } from '../http.ts';
import { areaOf, areas, type JournalPart } from '../journal.ts';
import {
  type CheckedFields,
  type ControlRoutes,
  commandRoute,
  isAnything,
  isBoolean,
  isCount,
  isHttpStatus,
  isJsonObject,
  isListOf,
  isOneOf,
  isText,
  type JsonCheck,
} from '../json-checks.ts';
import { createRandom, type Random } from '../seeded.ts';
import {
  type Fault,
  type FaultKindName,
  faultKindNames,
  faultKinds,
  kindsOf,
  usualSlowMs,
} from './fault-kinds.ts';

/** The faults that are set, in the order they were added. */
export type Faults = ReturnType<typeof createFaults>;

const maxDelayMs = 600_000;
const isDelay: JsonCheck<number> = (value): value is number => isCount(value) && value <= maxDelayMs;

const faultChecks = {
  kind: isOneOf(...faultKindNames),
  slowMs: isDelay,
  area: isOneOf(...areas),
  method: isText,
  path: isText,
  times: isCount,
  delayMs: isDelay,
  lateMs: isDelay,
  status: isHttpStatus,
  after: isBoolean,
  headers: isJsonObject as JsonCheck<Readonly<Record<string, string>>>,
  body: isAnything,
  bytes: isCount,
  cutAt: isCount,
  reset: isOneOf('before', 'after'),
  part: isBoolean,
  missing: isOneOf<boolean | 'before'>(true, false, 'before'),
  repeat: isBoolean,
  unseenMs: isCount,
  interim: isBoolean,
  closeAfterMs: isCount,
};

export function createFaults() {
  let faults: Fault[] = [];
  let lastId = 0;

  function takeFrom(isPart: boolean, method: string, target: string): Fault | undefined {
    const fault = faults.find(
      (one) =>
        one.times > 0 &&
        (one.part === true) === isPart &&
        (one.area === undefined || one.area === areaOf(target)) &&
        (one.method === undefined || one.method.toUpperCase() === method) &&
        (one.path === undefined || target.includes(one.path)),
    );
    if (!fault) return undefined;
    fault.times -= 1;
    if (fault.times === 0) faults = faults.filter((one) => one !== fault);
    return fault;
  }

  return {
    add(fields: CheckedFields<typeof faultChecks>): void {
      lastId += 1;
      faults.push({ times: 1, ...expandKind(fields), id: lastId });
    },
    /** Those that have times left. */
    list: (): readonly Fault[] => faults.filter(({ times }) => times > 0),
    /** Returns false when there is no such fault. */
    remove(id: number): boolean {
      const before = faults.length;
      faults = faults.filter((one) => one.id !== id);
      return faults.length < before;
    },
    clear(): void {
      faults = [];
    },
    /** Returns the first matching fault that has times left, and decrements them. */
    takeForRequest: (method: string, target: string) => takeFrom(false, method, target),
    /** The same for a part of a batch. */
    takeForPart: (method: string, target: string) => takeFrom(true, method, target),
  };
}

/** With the fields of its kind, where it names one. Kinds of parts only are faults of parts. */
function expandKind({ slowMs = usualSlowMs, ...fields }: CheckedFields<typeof faultChecks>): Partial<Fault> {
  if (fields.kind === undefined) return fields;
  const { affects, fault } = faultKinds[fields.kind];
  return { ...fault({ share: 100, slowMs }), ...(affects === 'parts' ? { part: true } : {}), ...fields };
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

/** Descriptions of the kinds by name. */
const kinds = Object.entries(faultKinds).map(([name, { description, affects, isOptIn = false }]) => ({
  name,
  description,
  affects,
  isOptIn,
}));

/** Control routes for faults. */
export function faultRoutes(faults: Faults): ControlRoutes {
  return {
    'GET /sandbox/faults': {
      description: 'The faults that are set, with the times they have left, and what each kind does.',
      handle: () => jsonResponse(200, { faults: faults.list(), kinds }),
    },
    'POST /sandbox/faults': commandRoute(
      'a fault',
      `Adds a fault for the next matching requests: {"kind": "throttle", "path": "/customers", "times": 2}. Fields: ${Object.keys(faultChecks).join(', ')}. delayMs waits after the request is executed, lateMs before.`,
      faultChecks,
      faults.add,
    ),
    'DELETE /sandbox/faults': {
      description: 'Removes all faults, with ?id= one of them.',
      handle({ query }) {
        const id = parseQuery(query).get('id');
        if (id === undefined) faults.clear();
        else if (!faults.remove(Number(id))) throw badRequestError(`There is no fault ${id}.`);
        return emptyResponse(204);
      },
    },
  };
}

/** Used only when named. */
const optInKinds: readonly FaultKindName[] = faultKindNames.filter((kind) => faultKinds[kind].isOptIn);
const defaultKinds = faultKindNames.filter((kind) => !optInKinds.includes(kind));

const partKinds = kindsOf('parts');
const requestKinds = kindsOf('requests');

// A repeated batch is excluded, because its parts could get other faults the second time.
const batchKinds = requestKinds.filter((kind) => kind !== 'repeated');

interface ChaosSettings {
  readonly random: Random;
  readonly rate: number;
  readonly kinds: readonly FaultKindName[];
  /** Only requests whose target contains it are disturbed. */
  readonly path: string;
  readonly slowMs: number;
  readonly includesReads: boolean;
}

/** The journal entry that records the kind of the fault. */
type ChaosNote = Pick<JournalPart, 'chaos'>;

export type Chaos = ReturnType<typeof createChaos>;

/**
 * Random faults for the writes of area A: POST, PATCH and DELETE, batches that contain one, and each of those
 * parts. With `reads`, also for GETs, all batches and all parts. The same seed and the same sequence of
 * requests give the same faults.
 */
export function createChaos() {
  let settings: ChaosSettings | undefined;

  function drawFault(possible: readonly FaultKindName[], target: string, note: ChaosNote): Fault | undefined {
    if (!settings || !target.includes(settings.path)) return undefined;
    const { random, rate, slowMs } = settings;
    // Always draws the same count of numbers, so that the sequence depends on the rate only.
    const [isHit, kindIndex, share] = [
      random.oneIn(1 / rate),
      random.between(0, 999_999),
      random.between(0, 199),
    ];
    const candidates = settings.kinds.filter((kind) => possible.includes(kind));
    const kind = candidates[kindIndex % candidates.length];
    if (!isHit || kind === undefined) return undefined;
    note.chaos = kind;
    return { ...faultKinds[kind].fault({ share, slowMs }), times: 0 };
  }

  return {
    /** Restarts with new settings. Throws an `ApiError` when they are invalid. */
    start(fields: CheckedFields<typeof chaosChecks>): void {
      const next = readChaosSettings(fields);
      settings = next.rate === 0 ? undefined : next;
    },
    stop(): void {
      settings = undefined;
    },
    takeForRequest(request: ApiRequest, target: string, note: ChaosNote): Fault | undefined {
      const isBatch = isBatchPath(request.path);
      const isWrite = isBatch ? containsWrite(request.body) : isWriteMethod(request.method);
      const isRead = isBatch || isReadMethod(request.method);
      return isBusinessPath(request.path) && (isWrite || (settings?.includesReads && isRead))
        ? drawFault(isBatch ? batchKinds : requestKinds, target, note)
        : undefined;
    },
    takeForPart: (method: string, target: string, note: ChaosNote): Fault | undefined =>
      isWriteMethod(method) || (settings?.includesReads && isReadMethod(method))
        ? drawFault(partKinds, target, note)
        : undefined,
  };
}

const chaosChecks = {
  seed: isCount,
  rate: (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1,
  kinds: isListOf(isOneOf(...faultKindNames)),
  path: isText,
  slowMs: isCount,
  reads: isBoolean,
};

function readChaosSettings(fields: CheckedFields<typeof chaosChecks>): ChaosSettings {
  const { seed = 1, rate, kinds = defaultKinds, path = '', slowMs = usualSlowMs, reads = false } = fields;
  if (rate === undefined) throw badRequestError("Chaos requires a 'rate' from 0 to 1.");
  if (kinds.length === 0) throw badRequestError("The 'kinds' of chaos must not be empty.");
  return { random: createRandom(seed), rate, kinds, path, slowMs, includesReads: reads };
}

/** Control route for random faults. */
export function chaosRoutes(chaos: Pick<Chaos, 'start'>): ControlRoutes {
  return {
    'POST /sandbox/chaos': commandRoute(
      'chaos',
      `{"seed": 1, "rate": 0.2} adds random faults to a fifth of the record writes. The same seed and order of requests give the same faults. {"rate": 0} stops it. Also path, slowMs, {"reads": true} to include reads, and kinds: ${faultKindNames.join(', ')}. The last ${optInKinds.length} are used only when named.`,
      chaosChecks,
      chaos.start,
    ),
  };
}

function isWriteMethod(method: string): boolean {
  return /^(POST|PUT|PATCH|DELETE)$/i.test(method);
}

const isReadMethod = (method: string) => /^GET$/i.test(method);

/** Quotes in a JSON string are escaped, so a match is a member of an object. */
function containsWrite(body: string): boolean {
  return /"method"\s*:\s*"(POST|PUT|PATCH|DELETE)"/i.test(body);
}
