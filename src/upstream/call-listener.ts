import type { UpstreamName } from '../errors.ts';

/** Told what the upstream calls of one request do, whoever else waits for their answers. */
export interface CallListener {
  /** A call is to be made, with all its attempts and pauses. */
  callBegan(upstream: UpstreamName): void;
  /** It waits for its turn, for the end of throttling or before another attempt: nothing of it is under way. */
  callPaused(): void;
  callResumed(): void;
  callEnded(upstream: UpstreamName): void;
}
