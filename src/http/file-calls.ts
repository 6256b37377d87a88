import { UpstreamError } from '../errors.ts';
import { type Deadline, startDeadline } from '../runtime/deadline.ts';
import type { UpstreamClientOptions } from './client.ts';
import type { StreamCall } from './connection.ts';
import { getThrottleMs, isHealthy, toVerdict } from './resilience/retry.ts';
import type { StreamedResponse } from './streaming.ts';

/** Opens files of an upstream. Their bytes are streamed, and are neither parsed nor kept. */
export interface FileCalls {
  /**
   * Sends one call, in turn with the other calls of its caller, and resolves with the head of its response. The call counts
   * as running until then: a slow reader takes no turn of other calls. Is sent again only where the upstream rejected the
   * token of a read. `until` ends the call early, as long as the head has not arrived. Throws `UpstreamError`.
   */
  open(call: StreamCall, until?: Deadline): Promise<StreamedResponse>;
}

export type FileCallsOptions = Pick<
  UpstreamClientOptions,
  | 'transport'
  | 'rateLimiter'
  | 'breaker'
  | 'callStats'
  | 'readTimeoutMs'
  | 'writeTimeoutMs'
  | 'onThrottled'
  | 'observer'
>;

export function createFileCalls(options: FileCallsOptions): FileCalls {
  const { transport, rateLimiter, breaker, callStats, readTimeoutMs, writeTimeoutMs, observer } = options;

  const attempt = async (call: StreamCall, until?: Deadline): Promise<StreamedResponse> => {
    const { access, method } = call;
    const deadline = startDeadline(method === 'GET' ? readTimeoutMs : writeTimeoutMs, until);
    const observed = { ...call, kind: method === 'GET' ? 'read' : 'write', body: '' } as const;
    const reportVerdict = breaker.startCall(access.principal);
    const startedAt = performance.now();
    try {
      const response = await transport.open(call, await access.getToken(), deadline);
      reportVerdict('answered');
      callStats.record(true, performance.now() - startedAt);
      const { status } = response;
      observer?.onAttemptEnd(
        observed,
        { status, code: null, upstreamRequestId: null },
        performance.now() - startedAt,
      );
      return response;
    } catch (error) {
      reportVerdict(toVerdict(error));
      callStats.record(isHealthy(error), performance.now() - startedAt);
      if (error instanceof UpstreamError) {
        observer?.onAttemptEnd(observed, error, performance.now() - startedAt);
        const throttleMs = getThrottleMs(error, null);
        if (throttleMs !== null) options.onThrottled(access.rateLimitKey, throttleMs);
      }
      throw error;
    } finally {
      deadline.end();
    }
  };

  const attemptWithFreshToken = async (call: StreamCall, until?: Deadline): Promise<StreamedResponse> => {
    const token = await call.access.getToken();
    try {
      return await attempt(call, until);
    } catch (error) {
      const isTokenRejected = error instanceof UpstreamError && error.status === 401 && call.method === 'GET';
      if (!isTokenRejected || !call.access.invalidateToken(token)) throw error;
      return await attempt(call, until);
    }
  };

  return {
    async open(call, until) {
      const wait = startDeadline(readTimeoutMs, until);
      try {
        const release = await rateLimiter.acquire(call.access, wait);
        return await attemptWithFreshToken(call, until).finally(release);
      } finally {
        wait.end();
      }
    },
  };
}
