import { badRequestError } from '../api-error.ts';
import { isBusinessPath } from '../business/address.ts';
import { isBatchPath } from '../business/batch.ts';
import type { ApiRequest } from '../http.ts';
import type { JsonCheck } from '../json-checks.ts';
import { checkFields, isBoolean, isCount, isListOf, isOneOf, isText } from '../json-checks.ts';
import { createRandom, type Random } from '../seeded.ts';
import type { Fault } from './fault-kinds.ts';
import { type FaultKindName, faultKindNames, faultKinds, kindsOf, usualSlowMs } from './fault-kinds.ts';

/** Used only when named. */
export const optInKinds: readonly FaultKindName[] = faultKindNames.filter((kind) => faultKinds[kind].isOptIn);
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

  function drawFault(possible: readonly FaultKindName[], target: string, note: ChaosNote) {
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
        ? drawFault(isBatch ? batchKinds : requestKinds, target, note)
        : undefined;
    },
    takeForPart: (method, target, note) =>
      isWriteMethod(method) || (settings?.includesReads && isReadMethod(method))
        ? drawFault(partKinds, target, note)
        : undefined,
    fork: () =>
      createChaos(settings && { ...settings, random: createRandom(settings.random.between(0, 999_999)) }),
  };
}

const chaosChecks: Readonly<Record<string, JsonCheck>> = {
  seed: Number.isSafeInteger,
  rate: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  kinds: isListOf(isOneOf(...faultKindNames)),
  path: isText,
  slowMs: isCount,
  reads: isBoolean,
};

function readChaosSettings(json: Readonly<Record<string, unknown>>): ChaosSettings {
  checkFields('chaos', json, chaosChecks);
  if (json.rate === undefined) throw badRequestError("Chaos requires a 'rate' from 0 to 1.");
  const { seed = 1, rate, kinds = defaultKinds, path = '', slowMs = usualSlowMs, reads = false } = json;
  const random = createRandom(seed as number);
  return { random, rate, kinds, path, slowMs, includesReads: reads } as ChaosSettings;
}

function isWriteMethod(method: string): boolean {
  return /^(POST|PUT|PATCH|DELETE)$/i.test(method);
}

const isReadMethod = (method: string) => /^GET$/i.test(method);

/** Quotes in a JSON string are escaped, so a match is a member of an object. */
function containsWrite(body: string): boolean {
  return /"method"\s*:\s*"(POST|PUT|PATCH|DELETE)"/i.test(body);
}
