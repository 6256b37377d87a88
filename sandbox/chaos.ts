import { badRequestError } from './api-error.ts';
import { isBusinessPath } from './business/address.ts';
import { isBatchPath } from './business/batch.ts';
import type { Fault } from './faults.ts';
import type { ApiRequest } from './http.ts';
import type { JsonCheck } from './json-checks.ts';
import { checkFields, isBoolean, isCount, isListOf, isOneOf, isText } from './json-checks.ts';
import type { Random } from './seeded.ts';
import { createRandom } from './seeded.ts';

/** The fault for each kind of failure. Each comment begins with whether the request is executed. */
const faultsByKind = {
  /** Not executed: the connection is reset. */
  resetBefore: () => ({ reset: 'before' }),
  /** Executed: the connection is reset instead of a response. */
  resetAfter: () => ({ reset: 'after' }),
  /** Not executed: 500. */
  error500: () => ({ status: 500, ...internalError }),
  /** Executed: responds with 500. */
  error500After: () => ({ status: 500, after: true, ...internalError }),
  /** Not executed: 503. */
  error503: () => ({ status: 503, ...unavailable }),
  /** Not executed: 429, every other time with `Retry-After: 1`. */
  throttle: ({ share }) => ({
    status: 429,
    ...errorBody('Application_TooManyRequests', 'Too many requests reached. Actual (101). Maximum (100).'),
    ...(share % 2 === 0 ? { headers: { 'retry-after': '1' } } : {}),
  }),
  /**
   * Executed: the connection is closed within the first 200 bytes of the body. A response without a body
   * arrives complete.
   */
  truncated: ({ share }) => ({ cutAt: share }),
  /** Executed: the response is delayed by `slowMs`. */
  slow: ({ slowMs }) => ({ delayMs: slowMs }),
  /** Executed after `slowMs`, even when the caller has disconnected. */
  late: ({ slowMs }) => ({ lateMs: slowMs }),
  /** Executed: responds with 503. */
  error503After: () => ({ status: 503, after: true, ...unavailable }),
  /** Executed: the part is omitted from the response of its batch. */
  omitted: () => ({ missing: true }),
  /** Not executed: the part is omitted from the response of its batch. */
  omittedBefore: () => ({ missing: 'before' }),
  /** Not executed: 404, as when the route of an API is temporarily missing. */
  vanished: () => ({
    status: 404,
    ...errorBody('BadRequest_NotFound', 'No HTTP resource was found that matches the request URI.'),
  }),
  /** Not executed: 404 with XML, as for an environment that does not exist. */
  noEnvironment: () => ({
    status: 404,
    headers: { 'content-type': 'application/xml; charset=utf-8' },
    body: '<?xml version="1.0" encoding="utf-8"?><error xmlns="http://docs.oasis-open.org/odata/ns/metadata"><code>NoEnvironment</code><message>Environment does not exist.</message></error>',
  }),
  /** Not executed: a missing permission, reported as 500. */
  forbidden500: () => ({
    status: 500,
    ...errorBody(
      'Internal_ServerError',
      'Sorry, the current permissions prevented the action. (TableData 18 Customer Read: Base Application)',
    ),
  }),
  /** Executed twice: returns the second response. */
  repeated: () => ({ repeat: true }),
  /** Executed: the connection is reset, and reads do not show the created record for `slowMs`. */
  unseen: ({ slowMs }) => ({ reset: 'after', unseenMs: slowMs }),
  /** Executed: an unrequested `100 Continue` precedes the response. */
  interim: () => ({ interim: true }),
  /** Executed: the connection is closed up to 19 ms after the response. */
  idleClose: ({ share }) => ({ closeAfterMs: share % 20 }),
} as const satisfies Record<string, (draw: RandomDraw) => Omit<Fault, 'times'>>;

export type ChaosKind = keyof typeof faultsByKind;

/** Names of all kinds. */
export const chaosKinds = Object.keys(faultsByKind) as readonly ChaosKind[];

/** Used only when named, so that adding a kind does not change the faults of a seed. */
export const optInKinds: readonly ChaosKind[] = [
  'late',
  'error503After',
  'omitted',
  'omittedBefore',
  'vanished',
  'noEnvironment',
  'forbidden500',
  'repeated',
  'unseen',
  'interim',
  'idleClose',
];
const defaultKinds = chaosKinds.filter((kind) => !optInKinds.includes(kind));

/** Kinds that can affect a part of a batch, which has no connection of its own. */
const partKinds: readonly ChaosKind[] = [
  'error500',
  'error500After',
  'error503',
  'throttle',
  'error503After',
  'omitted',
  'omittedBefore',
  'vanished',
  'forbidden500',
];
const requestKinds = chaosKinds.filter((kind) => kind !== 'omitted' && kind !== 'omittedBefore');

// A repeated batch is excluded, because its parts could get other faults the second time.
const batchKinds = requestKinds.filter((kind) => kind !== 'repeated');

interface RandomDraw {
  /** From 0 to 199. */
  readonly share: number;
  readonly slowMs: number;
}

interface ChaosSettings {
  readonly random: Random;
  readonly rate: number;
  readonly kinds: readonly ChaosKind[];
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly slowMs: number;
  readonly includesReads: boolean;
}

/** The journal entry that records the kind of the fault. */
interface ChaosNote {
  chaos?: string;
}

/**
 * Random faults for the writes of area A: POST, PATCH and DELETE, batches that contain one, and each of those
 * parts. With `reads`, also for GETs, all batches and all parts. The same seed and the same sequence of
 * requests give the same faults.
 */
export interface Chaos {
  /** Restarts with new settings. Throws an `ApiError` when they are invalid. */
  start(json: Readonly<Record<string, unknown>>): void;
  stop(): void;
  takeForRequest(request: ApiRequest, target: string, note: ChaosNote): Fault | undefined;
  takeForPart(method: string, target: string, note: ChaosNote): Fault | undefined;
  /**
   * A copy with a random sequence of its own, so that a request that is executed late does not change the
   * faults of requests that arrive in the meantime.
   */
  fork(): Chaos;
}

export function createChaos(initial?: ChaosSettings): Chaos {
  let settings = initial;

  function drawFault(possible: readonly ChaosKind[], method: string, target: string, note: ChaosNote) {
    if (!settings || !matchesRequest(settings, method, target)) return undefined;
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
    return { ...faultsByKind[kind]({ share, slowMs }), times: 0 };
  }

  return {
    start(json) {
      const next = readChaosSettings(json);
      settings = next.rate === 0 ? undefined : next;
    },
    stop() {
      settings = undefined;
    },
    takeForRequest(request, target, note) {
      const isBatch = isBatchPath(request.path);
      const isWrite = isBatch ? containsWrite(request.body) : isWriteMethod(request.method);
      const isRead = isBatch || isReadMethod(request.method);
      return isBusinessPath(request.path) && (isWrite || (settings?.includesReads && isRead))
        ? drawFault(isBatch ? batchKinds : requestKinds, request.method, target, note)
        : undefined;
    },
    takeForPart: (method, target, note) =>
      isWriteMethod(method) || (settings?.includesReads && isReadMethod(method))
        ? drawFault(partKinds, method, target, note)
        : undefined,
    fork: () =>
      createChaos(settings && { ...settings, random: createRandom(settings.random.between(0, 999_999)) }),
  };
}

const chaosChecks: Readonly<Record<string, JsonCheck>> = {
  seed: Number.isSafeInteger,
  rate: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  kinds: isListOf(isOneOf(...chaosKinds)),
  method: isText,
  path: isText,
  slowMs: isCount,
  reads: isBoolean,
};

function readChaosSettings(json: Readonly<Record<string, unknown>>): ChaosSettings {
  checkFields('chaos', json, chaosChecks);
  if (json.rate === undefined) throw badRequestError("Chaos requires a 'rate' from 0 to 1.");
  const { seed = 1, kinds: chosen = defaultKinds, slowMs = 1_000, reads = false, ...rest } = json;
  return {
    ...rest,
    random: createRandom(seed as number),
    kinds: chosen,
    slowMs,
    includesReads: reads,
  } as ChaosSettings;
}

function matchesRequest({ method, path }: ChaosSettings, requestMethod: string, target: string): boolean {
  return (
    (method === undefined || method.toUpperCase() === requestMethod) &&
    (path === undefined || target.includes(path))
  );
}

function isWriteMethod(method: string): boolean {
  return /^(POST|PUT|PATCH|DELETE)$/i.test(method);
}

const isReadMethod = (method: string) => /^GET$/i.test(method);

/** Quotes in a JSON string are escaped, so a match is a member of an object. */
function containsWrite(body: string): boolean {
  return /"method"\s*:\s*"(POST|PUT|PATCH|DELETE)"/i.test(body);
}

const internalError = errorBody('Internal_ServerError', 'An error occurred.');
const unavailable = errorBody('ServiceUnavailable', 'The service is unavailable.');

function errorBody(code: string, message: string): Pick<Fault, 'body'> {
  return { body: { error: { code, message } } };
}
