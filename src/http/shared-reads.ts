import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { type OnLate, SingleFlight } from '../runtime/single-flight.ts';
import type { Access } from './auth/access.ts';
import type { UpstreamResponse } from './response.ts';

/** Joins identical reads of one upstream that are running at the same time. */
export interface SharedReads {
  /**
   * Returns the response to a running read with the same principal, languages and name; else starts one. `start` gets the
   * latest deadline of all waiters. The languages count because the upstream's error messages depend on them, and a failure
   * is shared too. Rejects with an `UpstreamError` when the waiter's own deadline expires.
   */
  share(
    access: Access,
    name: string,
    deadline: Deadline | null,
    start: (deadline: Deadline) => Promise<UpstreamResponse>,
  ): Promise<UpstreamResponse>;
  /** Lets nobody join the reads started so far: after a write they may return the old state. */
  detach(): void;
}

export function createSharedReads(upstream: UpstreamName): SharedReads {
  const reads = new SingleFlight<UpstreamResponse>({ until: 'latest' });

  const rejectLate: OnLate<UpstreamResponse> = (read, _waiter, _resolve, reject) => {
    read.leave();
    reject(
      new UpstreamError('UPSTREAM_TIMEOUT', 'The upstream did not respond in time.', {
        upstream,
        delivery: 'unknown',
      }),
    );
  };

  return {
    share(access, name, deadline, start) {
      const key = `${access.principal} ${access.language ?? ''}/${name}`;
      const running = reads.get(key);
      if (running) return countCall(access, running.wait(deadline, rejectLate));
      return reads.start(key, start).wait(deadline, rejectLate);
    },
    detach: () => reads.detach(),
  };
}

/** Counts the call, as one that is paused, for a request that joins it too: it only waits for what another request reads. */
function countCall(
  { listener, upstream }: Access,
  response: Promise<UpstreamResponse>,
): Promise<UpstreamResponse> {
  if (listener === null) return response;
  listener.onCallStart(upstream);
  listener.onCallPause();
  return response.finally(() => {
    listener.onCallResume();
    listener.onCallEnd(upstream);
  });
}
