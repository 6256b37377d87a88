import { isBusinessPath } from './business/address.ts';
import { isBatchPath } from './business/batch.ts';
import type { Fault } from './faults.ts';
import type { Call } from './http.ts';
import { badRequest } from './refusal.ts';
import type { Random } from './seeded.ts';
import { createRandom } from './seeded.ts';

/** How a request can go wrong. Whether it was carried out is the first word of each. */
const kinds = {
  /** Not carried out: the connection dies instead. */
  resetBefore: () => ({ reset: 'before' }),
  /** Carried out: the connection dies instead of an answer. */
  resetAfter: () => ({ reset: 'after' }),
  /** Not carried out: 500. */
  error500: () => ({ status: 500, ...internalError }),
  /** Carried out, but answered 500. */
  error500After: () => ({ status: 500, after: true, ...internalError }),
  /** Not carried out: 503. */
  error503: () => ({ status: 503, ...unavailable }),
  /** Not carried out: 429, every other time with `Retry-After: 1`. */
  throttle: ({ share }) => ({
    status: 429,
    ...errorOf('Application_TooManyRequests', 'Too many requests reached. Actual (101). Maximum (100).'),
    ...(share % 2 === 0 ? { headers: { 'retry-after': '1' } } : {}),
  }),
  /** Carried out: the connection dies within the first 200 bytes of the body; an answer without one comes whole. */
  truncated: ({ share }) => ({ cutAt: share }),
  /** Carried out: the whole answer comes `slowMs` later. */
  slow: ({ slowMs }) => ({ delayMs: slowMs }),
  /** Carried out only `slowMs` later, whether its caller has hung up meanwhile or not, and answered then. */
  late: ({ slowMs }) => ({ lateMs: slowMs }),
  /** Carried out, but answered 503. */
  error503After: () => ({ status: 503, after: true, ...unavailable }),
  /** Carried out, but left out of the answer of its batch. */
  omitted: () => ({ missing: true }),
  /** Not carried out, and left out of the answer of its batch. */
  omittedBefore: () => ({ missing: 'before' }),
} as const satisfies Record<string, (draw: Draw) => Omit<Fault, 'times'>>;

export type ChaosKind = keyof typeof kinds;

/** The names of all kinds, for the index and for messages. */
export const chaosKinds = Object.keys(kinds) as readonly ChaosKind[];

/** Met only where they are named, so that a seed without them keeps its faults. */
export const kindsByName: readonly ChaosKind[] = ['late', 'error503After', 'omitted', 'omittedBefore'];
const usualKinds = chaosKinds.filter((kind) => !kindsByName.includes(kind));

/** What can happen to a part of a batch, which has no connection of its own. */
const kindsOfParts: readonly ChaosKind[] = [
  'error500',
  'error500After',
  'error503',
  'throttle',
  'error503After',
  'omitted',
  'omittedBefore',
];
const kindsOfRequests = chaosKinds.filter((kind) => kind !== 'omitted' && kind !== 'omittedBefore');

interface Draw {
  /** From 0 to 199. */
  readonly share: number;
  readonly slowMs: number;
}

interface Settings {
  readonly random: Random;
  readonly rate: number;
  readonly kinds: readonly ChaosKind[];
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly slowMs: number;
  readonly reads: boolean;
}

/** Where it is written down what was met. */
interface Note {
  chaos?: string;
}

/**
 * Faults at random for writes of area A: its POST, PATCH and DELETE, batches that hold one, and, each
 * for itself, those parts; with `reads` for its GETs, too, for every batch and every part. The same
 * seed and the same order of what can be met give the same faults.
 */
export interface Chaos {
  /** Begins anew from its JSON form; throws a `Refusal` that names the mistake. */
  start(json: Readonly<Record<string, unknown>>): void;
  stop(): void;
  take(call: Call, target: string, note: Note): Fault | undefined;
  takePart(method: string, target: string, note: Note): Fault | undefined;
  /**
   * As it now is, with a sequence of its own: what is carried out later cannot shift the faults of
   * what came meanwhile.
   */
  fork(): Chaos;
}

export function createChaos(initial?: Settings): Chaos {
  let settings = initial;

  function takeFrom(possible: readonly ChaosKind[], method: string, target: string, note: Note) {
    if (!settings || !matches(settings, method, target)) return undefined;
    const { random, rate, slowMs } = settings;
    // Drawn whether they are needed or not, so that the rate alone decides who is spared.
    const [isMet, place, share] = [
      random.oneIn(1 / rate),
      random.between(0, 999_999),
      random.between(0, 199),
    ];
    const chosen = settings.kinds.filter((kind) => possible.includes(kind));
    const kind = chosen[place % chosen.length];
    if (!isMet || kind === undefined) return undefined;
    note.chaos = kind;
    return { ...kinds[kind]({ share, slowMs }), times: 0 };
  }

  return {
    start(json) {
      const next = readSettings(json);
      settings = next.rate === 0 ? undefined : next;
    },
    stop() {
      settings = undefined;
    },
    take(call, target, note) {
      const isBatch = isBatchPath(call.path);
      const isWrite = isBatch ? holdsWrite(call.body) : isWriting(call.method);
      const isRead = isBatch || isReading(call.method);
      return isBusinessPath(call.path) && (isWrite || (settings?.reads && isRead))
        ? takeFrom(kindsOfRequests, call.method, target, note)
        : undefined;
    },
    takePart: (method, target, note) =>
      isWriting(method) || (settings?.reads && isReading(method))
        ? takeFrom(kindsOfParts, method, target, note)
        : undefined,
    fork: () =>
      createChaos(settings && { ...settings, random: createRandom(settings.random.between(0, 999_999)) }),
  };
}

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  seed: Number.isSafeInteger,
  rate: (value) => typeof value === 'number' && value >= 0 && value <= 1,
  kinds: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((kind) => chaosKinds.includes(kind)),
  method: (value) => typeof value === 'string',
  path: (value) => typeof value === 'string',
  slowMs: (value) => Number.isInteger(value) && (value as number) >= 0,
  reads: (value) => typeof value === 'boolean',
};

function readSettings(json: Readonly<Record<string, unknown>>): Settings {
  for (const [name, value] of Object.entries(json)) {
    const check = checks[name];
    if (!check) throw badRequest(`Chaos has no '${name}'; it has ${Object.keys(checks).join(', ')}.`);
    if (!check(value)) {
      throw badRequest(
        `'${name}' of chaos cannot be ${JSON.stringify(value)}. Its kinds are ${chaosKinds.join(', ')}.`,
      );
    }
  }
  if (json.rate === undefined) throw badRequest("Chaos needs a 'rate' from 0 to 1.");
  const { seed = 1, kinds: chosen = usualKinds, slowMs = 1_000, reads = false, ...rest } = json;
  return { ...rest, random: createRandom(seed as number), kinds: chosen, slowMs, reads } as Settings;
}

function matches({ method, path }: Settings, asked: string, target: string): boolean {
  return (
    (method === undefined || method.toUpperCase() === asked) && (path === undefined || target.includes(path))
  );
}

function isWriting(method: string): boolean {
  return /^(POST|PUT|PATCH|DELETE)$/i.test(method);
}

const isReading = (method: string) => /^GET$/i.test(method);

/** Inside a text the quotes would be escaped, so this is a member of some object. */
function holdsWrite(body: string): boolean {
  return /"method"\s*:\s*"(POST|PUT|PATCH|DELETE)"/i.test(body);
}

const internalError = errorOf('Internal_ServerError', 'An error occurred.');
const unavailable = errorOf('ServiceUnavailable', 'The service is unavailable.');

function errorOf(code: string, message: string): Pick<Fault, 'body'> {
  return { body: { error: { code, message } } };
}
