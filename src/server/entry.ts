import type { GraphQLError, GraphQLErrorExtensions } from 'graphql';
import type { ErrorCode } from '../errors.ts';
import type { Caller } from './caller.ts';
import { callerKeyOf } from './caller-key.ts';
import type { Guard } from './guard.ts';
import type { Place } from './place.ts';
import type { Refusal } from './refusal.ts';
import type { RequestRate } from './request-rate.ts';
import { overloaded, type Shedding, type ShedReason } from './shedding.ts';

/** A caller whose request has a place. */
export interface Entered extends Caller {
  readonly place: Place;
}

/** Lets requests of all transports in: the caller is identified, its rate and its share of the places are looked at. */
export interface Entry {
  /** At once where the caller is known and nobody else is asked for its rate. The place is to be released. */
  enter(caller: Caller): Entered | Refusal | Promise<Entered | Refusal>;
}

export interface EntryOptions {
  readonly guard: Pick<Guard, 'identify'>;
  readonly shedding: Shedding;
  /** Null where callers may send as many requests a second as they like. */
  readonly requestRate: RequestRate | null;
  /** How many requests may wait until their tokens are verified. They hold no place, as anyone can send a token. */
  readonly maxUnidentified: number;
  /** Told of every request that comes too soon. */
  readonly onRefused?: (code: ErrorCode, requestId: string) => void;
}

export function createEntry(options: EntryOptions): Entry {
  const { guard, shedding, requestRate, maxUnidentified, onRefused } = options;
  let unidentified = 0;

  const place = (caller: Caller): Entered | Refusal => {
    const taken = shedding.open(caller);
    if (typeof taken === 'string') return overloadedFor(caller, taken);
    caller.place = taken;
    return caller as Entered;
  };

  const paced = (caller: Caller, waitMs: number): Entered | Refusal => {
    if (waitMs === 0) return place(caller);
    onRefused?.('RATE_LIMITED', caller.requestId);
    return tooSoon(waitMs, caller);
  };

  const letIn = (caller: Caller | Refusal): Entered | Refusal | Promise<Entered | Refusal> => {
    if ('errors' in caller) return caller;
    const waitMs = requestRate?.take(callerKeyOf(caller)) ?? 0;
    return typeof waitMs === 'number' ? paced(caller, waitMs) : waitMs.then((ms) => paced(caller, ms));
  };

  return {
    enter(caller) {
      const identified = guard.identify(caller);
      if (!(identified instanceof Promise)) return letIn(identified);
      if (unidentified >= maxUnidentified) {
        shedding.refused('requests');
        return overloadedFor(caller, 'requests');
      }
      unidentified += 1;
      return identified
        .finally(() => {
          unidentified -= 1;
        })
        .then(letIn);
    },
  };
}

const overloadedFor = ({ requestId }: Caller, reason: ShedReason): Refusal =>
  refusal(503, overloaded[reason], { code: 'OVERLOADED', requestId });

function tooSoon(waitMs: number, { requestId }: Caller): Refusal {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  const message = `The caller sends more requests a second than it may. Try again in ${retryAfterSeconds} s.`;
  const refused = refusal(429, message, { code: 'RATE_LIMITED', retryAfterSeconds, requestId });
  return { ...refused, retryAfterSeconds };
}

// Written out: the stack of an error takes as long as all the rest of a refusal.
function refusal(status: number, message: string, extensions: GraphQLErrorExtensions): Refusal {
  return { status, errors: [{ message, extensions } as GraphQLError] };
}
