import type { UpstreamName } from './errors.ts';
import type { Bus } from './operations/bus.ts';
import type { Gate } from './upstream/gate.ts';

/** What replicas tell one another of callers that were throttled, so that none of them sends anything too early. */
export interface Pace {
  /** Lets the gate of an upstream hear what other replicas tell. */
  guide(upstream: UpstreamName, gate: Gate): void;
  /** Tells the other replicas that a caller was throttled here, and for how long. */
  tell(upstream: UpstreamName, pace: string, ms: number): void;
  leave(): void;
}

// Whatever else stands in Redis is none of ours, however long it is.
const told = /^(\w{1,20}) ([\w-]{43}) (\d{1,15}(?:\.\d{1,20})?)$/;

/** A message names no caller: what stands for one is made with the secret that the replicas share. */
export async function joinPace(bus: Bus): Promise<Pace> {
  const gates = new Map<string, Gate>();
  const member = await bus.join('pace', (message) => {
    const [, upstream = '', pace = '', ms] = told.exec(message) ?? [];
    if (Number(ms) > 0) gates.get(upstream)?.close(pace, Number(ms));
  });
  return {
    guide: (upstream, gate) => void gates.set(upstream, gate),
    tell: (upstream, pace, ms) => member.tell(`${upstream} ${pace} ${ms}`),
    leave: () => member.leave(),
  };
}
