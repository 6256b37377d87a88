import type { Behaviour } from './behaviour.ts';

/** How a start or stop ends at the service, whatever a client learns of it. */
export type Outcome = 'Succeeds' | 'Fails' | 'Never ends' | 'Rejected';

export function outcomeOf({ refusal, isEndless, failsAtStep }: Behaviour): Outcome {
  if (refusal && !refusal.carriedOut) return 'Rejected';
  if (isEndless) return 'Never ends';
  return failsAtStep === undefined ? 'Succeeds' : 'Fails';
}
