import { asUpstreamError, UpstreamError } from '../errors.ts';
import { type Deadline, sleepWithin, startDeadline } from '../runtime/deadline.ts';
import type { Access } from './auth/access.ts';
import type { AttemptObserver, AttemptResult, UpstreamCall, UpstreamObserver } from './call.ts';
import type { Breaker, CallVerdict } from './resilience/breaker.ts';
import type { CallStats } from './resilience/call-stats.ts';
import type { RateLimiter } from './resilience/rate-limiter.ts';
import { getThrottleMs, isHealthy, isLocalFailure, planRetry, toVerdict } from './resilience/retry.ts';
import { readUpstreamRequestId, type UpstreamResponse } from './response.ts';
import type { StreamedResponse } from './streaming.ts';
import type { HttpTransport } from './transport.ts';

export interface UpstreamClient {
  /**
   * Makes a call: waits for the rate limiter, and retries safe failures before the deadline. Resolves with a 2xx response;
   * otherwise throws the `UpstreamError` of the last attempt.
   */
  send(call: UpstreamCall): Promise<UpstreamResponse>;
  /**
   * Like `send`, but the body is a stream. Resolves with the head of the response and then frees the call's slot, so that a
   * slow reader does not delay other calls.
   */
  open(call: UpstreamCall): Promise<StreamedResponse>;
  /** Turns the failed part of a batch into an error and records the failure, including throttling. */
  recordPartFailure(part: UpstreamResponse, access: Access): UpstreamError;
  /** How far the upstream's clock is ahead of this one, in milliseconds, according to its last response. */
  clockOffsetMs(): number;
  close(): Promise<void>;
}

export interface UpstreamClientOptions {
  readonly transport: HttpTransport;
  readonly rateLimiter: RateLimiter;
  readonly breaker: Breaker;
  readonly callStats: Pick<CallStats, 'record'>;
  /** Attempts per call, the first included. */
  readonly maxAttempts: number;
  /** Time limit of a read with all its attempts, and of a write's wait to be sent. */
  readonly readTimeoutMs: number;
  /** Time limit of one attempt of a write. The outcome of an aborted write is unknown. */
  readonly writeTimeoutMs: number;
  /** The upstream asked a caller to send nothing for `ms`. */
  onThrottled(quotaKey: string, ms: number): void;
  readonly observer?: UpstreamObserver | undefined;
}

interface AttemptPlan {
  /** 1 for the first attempt of a call. */
  readonly number: number;
  readonly isFresh: boolean;
}

type Exchange<Response> = (
  call: UpstreamCall,
  token: string,
  deadline: Deadline,
  isFresh: boolean,
) => Promise<Response>;

export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { transport, rateLimiter, breaker, callStats, observer } = options;
  const { maxAttempts, readTimeoutMs, writeTimeoutMs, onThrottled } = options;
  let clockOffsetMs = 0;

  const attempt = async <Response extends UpstreamResponse>(
    exchange: Exchange<Response>,
    call: UpstreamCall,
    plan: AttemptPlan,
    token: string,
    deadline: Deadline,
  ): Promise<Response> => {
    const reportVerdict = breaker.startCall();
    const startedAt = performance.now();
    let attemptObserver: AttemptObserver | undefined;
    const end = (verdict: CallVerdict, isUpstreamHealthy: boolean | null, result: AttemptResult) => {
      const ms = performance.now() - startedAt;
      reportVerdict(verdict);
      callStats.record(isUpstreamHealthy, ms);
      attemptObserver?.onEnd(result);
      observer?.onAttemptEnd(call, result, ms);
    };
    try {
      attemptObserver = call.startAttempt?.(plan.number, transport.createRedactor(token));
      const added = attemptObserver?.headers;
      const sent = added ? { ...call, headers: { ...call.headers, ...added } } : call;
      const response = await exchange(sent, token, deadline, plan.isFresh);
      // `Date` has whole seconds. An invalid one is ignored.
      const { date } = response.headers;
      const at = typeof date === 'string' ? Date.parse(date) : Number.NaN;
      if (!Number.isNaN(at)) clockOffsetMs = at - Date.now();
      end('answered', true, new SuccessfulAttempt(response));
      return response;
    } catch (error) {
      end(toVerdict(error), isHealthy(error), error instanceof UpstreamError ? error : internalError);
      throw error;
    }
  };

  const attemptWhenAllowed = async <Response extends UpstreamResponse>(
    exchange: Exchange<Response>,
    call: UpstreamCall,
    plan: AttemptPlan,
    deadline: Deadline,
  ): Promise<Response> => {
    const { access } = call;
    const waitsSince = performance.now();
    const acquired = rateLimiter.acquire(access, deadline);
    const release = typeof acquired === 'function' ? acquired : await acquired;
    observer?.onTurn(performance.now() - waitsSince);
    // A write gets its full time, however long it has waited.
    const writeDeadline = call.kind === 'write' ? startDeadline(writeTimeoutMs, call.deadline) : null;
    const until = writeDeadline ?? deadline;
    try {
      const pending = awaitToken(access, access.getToken(), until);
      const token = typeof pending === 'string' ? pending : await pending;
      try {
        return await attempt(exchange, call, plan, token, until);
      } catch (error) {
        // A request that fails authentication was not carried out: even a write can be sent again.
        const isTokenRejected = error instanceof UpstreamError && error.status === 401;
        if (!isTokenRejected || !access.invalidateToken(token) || !canBeRepeated(call)) throw error;
        rateLimiter.countAttempt(access.quotaKey);
        return await attempt(exchange, call, plan, await awaitToken(access, access.getToken(), until), until);
      }
    } finally {
      writeDeadline?.end();
      release();
    }
  };

  /** Waits until the next attempt may start and returns its plan. Throws the failure if there is no next attempt. */
  const prepareRetry = async (
    error: unknown,
    call: UpstreamCall,
    { number }: AttemptPlan,
    deadline: Deadline,
  ): Promise<AttemptPlan> => {
    const failure = asUpstreamError(error);
    if (isLocalFailure(failure)) observer?.onLocalFailure(failure.code);
    // With an open breaker the next attempt would not be sent.
    const allowed = breaker.isOpen() || !canBeRepeated(call) ? number : maxAttempts;
    const retry = planRetry(call.kind ?? 'read', failure, { made: number, allowed }, Math.random());
    const throttleMs = getThrottleMs(failure, retry);
    if (throttleMs !== null) onThrottled(call.access.quotaKey, throttleMs);
    const hasTime = retry !== null && (await sleepWithin(retry.afterMs, deadline));
    if (!hasTime) throw failure;
    observer?.onRetry(call);
    return { number: number + 1, isFresh: retry.isFresh };
  };

  const run = async <Response extends UpstreamResponse>(
    exchange: Exchange<Response>,
    call: UpstreamCall,
  ): Promise<Response> => {
    const { access, kind } = call;
    // A disconnecting client never shortens a write.
    const within = call.waitDeadline ?? call.deadline ?? (kind === 'write' ? null : access.deadline);
    const deadline = startDeadline(readTimeoutMs, within ?? undefined);
    try {
      for (let plan: AttemptPlan = { number: 1, isFresh: false }; ; ) {
        try {
          return await attemptWhenAllowed(exchange, call, plan, deadline);
        } catch (error) {
          plan = await prepareRetry(error, call, plan, deadline);
        }
      }
    } finally {
      deadline.end();
    }
  };

  return {
    send: (call) => run(transport.send, call),
    open: (call) => run(transport.open, call),

    recordPartFailure(part, { quotaKey }) {
      const failure = transport.toError(part);
      observer?.onPartRejected(part.status);
      const throttleMs = getThrottleMs(failure, null);
      if (throttleMs !== null) onThrottled(quotaKey, throttleMs);
      return failure;
    },

    clockOffsetMs: () => clockOffsetMs,
    close: transport.close,
  };
}

/** Whether the call can be sent again. A stream can be read only once. */
const canBeRepeated = ({ body }: UpstreamCall): boolean => typeof body !== 'object';

/** Computes the request id lazily: that takes longer than all other work at the end of an attempt. */
class SuccessfulAttempt implements AttemptResult {
  readonly code = null;
  readonly #response: UpstreamResponse;

  constructor(response: UpstreamResponse) {
    this.#response = response;
  }

  get status(): number {
    return this.#response.status;
  }

  get upstreamRequestId(): string | null {
    return readUpstreamRequestId(this.#response);
  }

  get bytes(): number | null {
    return this.#response.bytes;
  }

  get rows(): number | null {
    const { value } = (this.#response.body ?? {}) as { readonly value?: unknown };
    return Array.isArray(value) ? value.length : null;
  }
}

/** The result of an attempt that threw something other than an `UpstreamError`, which is a bug. */
const internalError: AttemptResult = {
  status: null,
  code: 'INTERNAL_SERVER_ERROR',
  upstreamRequestId: null,
};

/** Returns the token. Rejects with `UPSTREAM_TIMEOUT` if the deadline expires first. */
function awaitToken(
  { upstream }: Access,
  token: string | Promise<string>,
  deadline: Deadline,
): string | Promise<string> {
  if (typeof token === 'string') return token;
  return new Promise((resolve, reject) => {
    const unsubscribe = deadline.onExpire(() =>
      reject(
        new UpstreamError('UPSTREAM_TIMEOUT', 'The token endpoint did not respond in time.', {
          upstream,
          delivery: 'notSent',
        }),
      ),
    );
    token.then(resolve, reject).finally(unsubscribe);
  });
}
