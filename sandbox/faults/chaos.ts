import { badRequestError } from '../api-error.ts';
import { isBusinessPath } from '../business/address.ts';
import { isBatchPath } from '../business/batch.ts';
import type { ApiRequest } from '../http.ts';
import {
  type CheckedFields,
  type ControlRoutes,
  commandRoute,
  isBoolean,
  isCount,
  isListOf,
  isOneOf,
  isText,
} from '../json-checks.ts';
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
