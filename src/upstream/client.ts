import { failureOf, UpstreamError, type UpstreamName } from '../errors.ts';
import type { Access } from './access.ts';
import type { Answer } from './answer.ts';
import type { Breaker } from './breaker.ts';
import type { Verdict } from './call-window.ts';
import type { Connection } from './connection.ts';
import type { RowRange } from './cut-rows.ts';
import { type Deadline, pause, startDeadline } from './deadline.ts';
import type { Gate } from './gate.ts';
import type { Lately } from './lately.ts';
import type { UpstreamObserver } from './observer.ts';
import { type CallKind, isHeldBack, isWell, pauseOf, retryOf, verdictOf } from './retry.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { AttemptEnd, AttemptWatch } from './watch.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query below the base address, percent-encoded, beginning with a slash. Sent byte for byte. */
  readonly path: string;
  readonly access: Access;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** A read where it is left out. */
  readonly kind?: CallKind;
  /** Until when the answer of a read is waited for; where it is left out, as long as who asks has time. */
  readonly deadline?: Deadline;
  /** The rows of a collection that will be looked at. Of a very long answer the others are not parsed. */
  readonly rows?: RowRange;
  /** Told of every attempt as it begins; what it returns follows that attempt. */
  readonly begin?: (attempt: number, discreet: Answer['discreet']) => AttemptWatch;
  /** What explanations show instead of the path, where it is not the caller's to know. */
  readonly shownAs?: string;
  /** How many keys the call looks up; for explanations and metrics only. */
  readonly keys?: number;
  /** What a batch holds; for explanations and metrics only. */
  readonly parts?: readonly PartNote[];
}

/** One part of a batch, for explanations. */
export interface PartNote {
  readonly method: string;
  readonly path: string;
  readonly keys: number | undefined;
  /** 0 while, or when, the batch's answer says nothing about it. */
  readonly status: number;
}

export interface Client {
  /**
   * Makes a call when it is its turn, and again where that can do no harm, within the time there is for it. Resolves with
   * a 2xx answer; throws the `UpstreamError` of the last attempt for everything else.
   */
  send(call: Call): Promise<Answer>;
  /** An answer outside 2xx that came inside another one as the error it is. */
  refusal(answer: Answer, access: Access): UpstreamError;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly connection: Connection;
  readonly gate: Gate;
  readonly breaker: Breaker;
  readonly lately: Pick<Lately, 'count'>;
  readonly budget: RetryBudget;
  /** How often a call may be tried. */
  readonly attempts: number;
  /** How long a read may take with all its attempts, where who asks has no deadline, and a write may wait for its turn. */
  readonly readTimeoutMs: number;
  /** How long each attempt of a write may take: cut short, its outcome is unknown. */
  readonly writeTimeoutMs: number;
  /** Told that a caller is to send nothing for so long. */
  onThrottled(pace: string, ms: number): void;
  readonly observer?: UpstreamObserver | undefined;
  /** From 0 to 1. */
  random(): number;
}

/** One upstream, asked as patiently, and as considerately, as the kind of call allows. */
export function createClient(options: ClientOptions): Client {
  const { connection, gate, breaker, lately, budget, attempts, readTimeoutMs, writeTimeoutMs, observer } =
    options;
  const { onThrottled, random } = options;

  const attempt = async (call: Call, made: number, token: string, deadline: Deadline): Promise<Answer> => {
    const learn = breaker.begin(call.access, call);
    const startedAt = performance.now();
    let watch: AttemptWatch | undefined;
    const end = (verdict: Verdict, isGood: boolean | null, how: AttemptEnd) => {
      const ms = performance.now() - startedAt;
      learn(verdict);
      lately.count(isGood, ms);
      watch?.end(how);
      observer?.attempted(call, how, ms);
    };
    try {
      watch = call.begin?.(made, connection.discretionFor(token));
      const sent = watch?.headers ? { ...call, headers: { ...call.headers, ...watch.headers } } : call;
      const answer = await connection.attempt(sent, token, deadline);
      end('served', true, { status: answer.status, code: null });
      return answer;
    } catch (error) {
      end(
        verdictOf(error),
        isWell(error),
        error instanceof UpstreamError ? error : { status: null, code: 'INTERNAL_SERVER_ERROR' },
      );
      throw error;
    }
  };

  const attemptInTurn = async (call: Call, made: number, deadline: Deadline): Promise<Answer> => {
    const { access } = call;
    const askedAt = performance.now();
    const entered = gate.enter(access, deadline);
    const leave = typeof entered === 'function' ? entered : await paused(access, entered);
    observer?.waited(performance.now() - askedAt);
    // A write is not cut short for having waited.
    const own = call.kind === 'write' ? startDeadline(writeTimeoutMs) : null;
    const until = own ?? deadline;
    try {
      const given = inTime(access, access.token(), until);
      const token = typeof given === 'string' ? given : await given;
      try {
        return await attempt(call, made, token, until);
      } catch (error) {
        // What was not let in was not carried out either: sent again, even a write happens once.
        const isRefused = error instanceof UpstreamError && error.status === 401;
        if (!isRefused || !access.reject(token)) throw error;
        return await attempt(call, made, await inTime(access, access.token(), until), until);
      }
    } finally {
      own?.end();
      leave();
    }
  };

  /** Pauses after a failed attempt. Throws the failure where there is to be no other. */
  const pauseAfter = async (error: unknown, call: Call, made: number, deadline: Deadline): Promise<void> => {
    const failure = failureOf(error);
    if (isHeldBack(failure)) observer?.heldBack(failure.code);
    const retry = retryOf(call.kind ?? 'read', failure, { made, allowed: attempts }, random());
    if (failure.status === 429) onThrottled(call.access.pace, retry?.afterMs ?? pauseOf(failure));
    const isTime = retry !== null && (await paused(call.access, pause(retry.afterMs, deadline)));
    if (!isTime || !budget.take(retry.cost)) throw failure;
    observer?.retried(call);
  };

  return {
    async send(call) {
      const { access, kind, deadline: within = access.deadline ?? undefined } = call;
      // Nobody's leaving makes less of a write.
      const deadline = startDeadline(readTimeoutMs, kind === 'write' ? undefined : within);
      access.listener?.callBegan(access.upstream);
      try {
        for (let made = 1; ; made++) {
          try {
            const answer = await attemptInTurn(call, made, deadline);
            budget.refill();
            return answer;
          } catch (error) {
            await pauseAfter(error, call, made, deadline);
          }
        }
      } finally {
        deadline.end();
        access.listener?.callEnded(access.upstream);
      }
    },

    refusal(answer, { pace }) {
      const failure = connection.refusal(answer);
      observer?.partRefused(answer.status);
      if (failure.status === 429) onThrottled(pace, pauseOf(failure));
      return failure;
    },

    close: connection.close,
  };
}

/** Waits while nothing of a call is under way. */
async function paused<Value>({ listener }: Access, wait: Promise<Value>): Promise<Value> {
  listener?.callPaused();
  try {
    return await wait;
  } finally {
    listener?.callResumed();
  }
}

/** The token, or the failure of a call that has no time to wait for it. */
function inTime(
  { upstream }: Access,
  token: string | Promise<string>,
  deadline: Deadline,
): string | Promise<string> {
  if (typeof token === 'string') return token;
  return new Promise((resolve, reject) => {
    const stay = deadline.onOver(() =>
      reject(
        new UpstreamError('UPSTREAM_TIMEOUT', 'The token did not come in time.', {
          upstream,
          fate: 'unsent',
        }),
      ),
    );
    token.then(resolve, reject).finally(stay);
  });
}

/** Stands for an upstream that has no address in this deployment: every call fails, naming the setting. */
export function createAbsentClient(upstream: UpstreamName, variable: string): Client {
  const refusal = () =>
    new UpstreamError('UPSTREAM_NOT_CONFIGURED', `This deployment has no ${variable}.`, {
      upstream,
      fate: 'unsent',
    });
  return {
    refusal,
    async send() {
      throw refusal();
    },
    close: async () => {},
  };
}
