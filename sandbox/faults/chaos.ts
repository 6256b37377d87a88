import { badRequestError } from '../api-error.ts';
import { isBusinessPath } from '../business/address.ts';
import { isBatchPath } from '../business/batch.ts';
import type { ApiRequest } from '../http.ts';
import type { JsonCheck } from '../json-checks.ts';
import { checkFields, isBoolean, isCount, isListOf, isOneOf, isText } from '../json-checks.ts';
import { createRandom, type Random } from '../seeded.ts';
import type { Fault } from './fault-kinds.ts';
import { type FaultKindName, faultKindNames, faultKinds, kindsOf, usualSlowMs } from './fault-kinds.ts';

/** Names of all kinds. */
export const chaosKinds: readonly FaultKindName[] = faultKindNames;

/** Used only when named. */
export const optInKinds: readonly FaultKindName[] = chaosKinds.filter((kind) => faultKinds[kind].isOptIn);
const defaultKinds = chaosKinds.filter((kind) => !optInKinds.includes(kind));

const partKinds = kindsOf('parts');
const requestKinds = kindsOf('requests');

// A repeated batch is excluded, because its parts could get other faults the second time.
const batchKinds = requestKinds.filter((kind) => kind !== 'repeated');

interface ChaosSettings {
  readonly random: Random;
  readonly seed: number;
  readonly rate: number;
  readonly kinds: readonly FaultKindName[];
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
  /** The settings in the form of `start`; with a rate of 0 when stopped. */
  settings(): Readonly<Record<string, unknown>>;
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

  function drawFault(possible: readonly FaultKindName[], method: string, target: string, note: ChaosNote) {
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
    return { ...faultKinds[kind].fault({ share, slowMs }), times: 0 };
  }

  return {
    start(json) {
      const next = readChaosSettings(json);
      settings = next.rate === 0 ? undefined : next;
    },
    stop() {
      settings = undefined;
    },
    settings() {
      if (!settings) return { rate: 0 };
      const { random: _random, includesReads: reads, ...shown } = settings;
      return { ...shown, reads };
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
  const { seed = 1, kinds: chosen = defaultKinds, slowMs = usualSlowMs, reads = false, ...rest } = json;
  return {
    ...rest,
    random: createRandom(seed as number),
    seed,
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
