import { randomUUID } from 'node:crypto';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { UpstreamError } from '../errors.ts';
import { ownRound } from '../rounds.ts';
import { createPrincipals } from '../upstream/auth.ts';
import { type Deadline, Ending, startDeadline } from '../upstream/deadline.ts';
import { Passing } from '../upstream/passing.ts';
import type { Caller, Tokens } from './caller.ts';
import { presentError } from './errors.ts';
import type { Executor, Request } from './executor.ts';
import { createIntrospectionAnswers, isIntrospection } from './introspection.ts';

/** An answer as it is sent. */
export interface Answered {
  readonly status: 200 | 400 | 503;
  /** JSON text, or its bytes in UTF-8. */
  readonly body: string | Buffer;
}

/** Answers requests; a query that its caller asks for again while it is on its way is carried out once. */
export interface Answers extends Pick<Executor, 'execute'> {
  of(request: Request, deadline: Deadline | null): Promise<Answered>;
}

interface Told {
  readonly result: ExecutionResult;
  /** Null where each request is told in words of its own. */
  readonly answered: Answered | null;
  /** The same for who has joined: made into bytes once. */
  joined?: Answered;
}

/** A query on its way, and who waits for it. */
interface Shared {
  readonly told: Promise<Told>;
  /** Whose time it has. */
  readonly first: Deadline;
  /** Until when it is carried out. */
  readonly until: Ending;
  askers: number;
}

// Timers may be a little early.
const earlyMs = 10;

/**
 * A query is shared where the tokens, the document, its operation and the variables are the same. What tells of one
 * request alone is not: errors get the id of each request, and explained queries run for themselves. Nobody joins a
 * query that was begun before a change was answered, or one that has less than half of the time that he has.
 */
export function createAnswers(executor: Executor, log: Logger): Answers {
  const introspection = createIntrospectionAnswers();
  let inFlight = new Passing<Shared>();
  // The name of a caller is of no use to anybody else, nor in another process.
  const principalOf = createPrincipals(randomUUID());
  const principals = new WeakMap<Tokens, string>();

  const keyOf = ({ operationId, variables, caller: { tokens } }: Request): string => {
    let principal = principals.get(tokens);
    if (principal === undefined) {
      principal = principalOf(tokens.business ?? '', tokens.management ?? '');
      principals.set(tokens, principal);
    }
    return `${principal} ${operationId} ${JSON.stringify(variables)}`;
  };

  // Reading the schema takes long: others have their turns between two of those who do.
  const carryOut = async (request: Request, deadline: Deadline | null): Promise<ExecutionResult> => {
    if (isIntrospection(request)) await ownRound();
    return executor.execute(request, deadline);
  };

  const begin = (key: string, request: Request, deadline: Deadline): Shared => {
    const own = inFlight;
    const until = new Ending(() => deadline.at);
    const told = carryOut(request, until).then((result) => {
      if (own.get(key) === shared) own.delete(key);
      until.end();
      const answered = result.errors ? null : answerOf(result);
      if (answered) introspection.keep(request, answered);
      return { result, answered };
    });
    const shared = { told, first: deadline, until, askers: 0 };
    own.set(key, shared);
    return shared;
  };

  const leave = (shared: Shared, deadline: Deadline): void => {
    const { first, until } = shared;
    shared.askers -= 1;
    if (shared.askers === 0) until.end();
    if (deadline !== first || until.isOver) return;
    // The others wait for what there is when its time is over.
    const rest = startDeadline(first.at - performance.now());
    rest.onOver(() => until.end());
    until.onOver(() => rest.end());
  };

  /** The answer; null for who has less time than it takes, or has left. */
  const wait = (shared: Shared, deadline: Deadline): Promise<Told | null> => {
    shared.askers += 1;
    return new Promise((resolve, reject) => {
      const stay = deadline.onOver(() => {
        // Whose time is that of the query is told what there is by then.
        if (performance.now() + earlyMs >= shared.until.at) return shared.until.end();
        leave(shared, deadline);
        resolve(null);
      });
      shared.told.then(
        (told) => {
          stay();
          resolve(told);
        },
        (error) => {
          stay();
          reject(error);
        },
      );
    });
  };

  const share = async (request: Request, deadline: Deadline): Promise<Answered> => {
    const { caller } = request;
    const key = keyOf(request);
    const known = inFlight.get(key);
    const now = performance.now();
    const isJoined =
      known !== undefined && !known.until.isOver && known.until.at - now >= (deadline.at - now) / 2;
    const end = isJoined ? executor.joined(request) : null;
    const told = await wait(isJoined ? known : begin(key, request, deadline), deadline);
    const result = told?.result ?? lateFor(caller);
    end?.(result);
    if (!isJoined || !told) return told?.answered ?? answerOf(result);
    return told.answered ? joinedOf(told, told.answered) : answerOf(retold(result, caller));
  };

  const lateFor = ({ requestId }: Caller): ExecutionResult => {
    const originalError = new UpstreamError('UPSTREAM_TIMEOUT', 'The upstream did not answer in time.', {
      upstream: 'business',
      fate: 'unknown',
    });
    const failure = new GraphQLError(originalError.message, { originalError, path: [] });
    return { errors: [presentError(failure, requestId, log)], data: null };
  };

  const execute = async (request: Request, deadline: Deadline | null): Promise<ExecutionResult> => {
    const result = await carryOut(request, deadline);
    if (request.operation.operation === 'mutation') inFlight = new Passing();
    return result;
  };

  return {
    execute,
    of(request, deadline) {
      const isShared = deadline !== null && !request.caller.isExplained;
      const kept = isShared && introspection.kept(request);
      if (kept) {
        executor.joined(request)({});
        return Promise.resolve(kept);
      }
      if (isShared) return share(request, deadline);
      return execute(request, deadline).then(answerOf);
    },
  };
}

/** An operation that never began, or was ended, says so by its status. */
function answerOf({ errors, data, extensions }: ExecutionResult): Answered {
  const isOver = errors?.[0]?.extensions.code === 'OVERLOADED';
  const status = errors && data === undefined ? (isOver ? 503 : 400) : 200;
  return { status, body: `${JSON.stringify({ errors, data, extensions })}\n` };
}

function joinedOf(told: Told, { status, body }: Answered): Answered {
  told.joined ??= { status, body: Buffer.from(body) };
  return told.joined;
}

function retold({ errors = [], ...rest }: ExecutionResult, { requestId }: Caller): ExecutionResult {
  const named = errors.map(({ message, extensions, ...error }) => {
    const { locations, path } = error;
    return {
      message,
      ...(locations && { locations }),
      ...(path && { path }),
      extensions: { ...extensions, requestId },
    };
  });
  return { ...rest, errors: named as unknown as readonly GraphQLError[] };
}
