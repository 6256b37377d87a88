import { LRUCache } from 'lru-cache';
import { getOrCompute } from '../../runtime/memo.ts';
import type { Place } from '../auth/access.ts';
import { type Breaker, type BreakerOptions, createBreaker } from './breaker.ts';

// Above this the state of the least recently used places is dropped.
const maxPlaces = 1_000;

/** The circuit breakers of an upstream, separate for each place: one that fails says nothing about the others. */
export function createBreakersByPlace(options: BreakerOptions): Breaker {
  const byPlace = new LRUCache<string, Breaker>({ max: maxPlaces });
  const breakerOf = ({ place }: { readonly place?: Place | null }) =>
    getOrCompute<string, Breaker>(byPlace, place?.key ?? '', () => createBreaker(options));

  return {
    startCall: (caller, call) => breakerOf(caller).startCall(caller, call),
    snapshot: (caller) => breakerOf(caller).snapshot(caller),
    getState() {
      const states = [...byPlace.values()].map((breaker) => breaker.getState());
      return {
        isOpen: states.some(({ isOpen }) => isOpen),
        failingCallers: states.reduce((sum, { failingCallers }) => sum + failingCallers, 0),
      };
    },
  };
}
