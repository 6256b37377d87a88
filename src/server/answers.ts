import { randomUUID } from 'node:crypto';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { createPrincipals } from '../upstream/auth.ts';
import type { Deadline } from '../upstream/deadline.ts';
import { createInFlight } from '../upstream/in-flight.ts';
import type { Caller, Tokens } from './caller.ts';
import { presentError } from './errors.ts';
import type { Executor, Request } from './executor.ts';

/** An answer as it is sent. */
export interface Answered {
  readonly status: 200 | 400;
  /** JSON text. */
  readonly text: string;
}

/** Answers requests; a query that its caller asks for again while it is on its way is carried out once. */
export interface Answers extends Pick<Executor, 'execute'> {
  of(request: Request): Promise<Answered>;
}

/**
 * A query is shared where the tokens, the document, its operation and the variables are the same. What tells of one
 * request alone is not: errors get the id of each request, and explained queries run for themselves. Nobody joins a
 * query that was begun before a change was answered.
 */
export function createAnswers(executor: Executor, log: Logger): Answers {
  const inFlight = createInFlight<Shared>();
  // The name of a caller is of no use to anybody else, nor in another process.
  const principalOf = createPrincipals(randomUUID());
  const principals = new WeakMap<Tokens, string>();

  const share = async (request: Request): Promise<Answered> => {
    const { text, operation, variables, caller } = request;
    const { tokens, deadline = null } = caller;
    const principal = principals.get(tokens) ?? principalOf(tokens.business ?? '', tokens.management ?? '');
    principals.set(tokens, principal);
    const name = `${operation.name?.value ?? ''} ${JSON.stringify(variables)} ${text}`;
    let isFirst = false;
    const shared = inFlight.share({ principal, deadline }, name, async (until) => {
      isFirst = true;
      return sharedOf(await executor.execute(withDeadline(request, until)));
    });
    const end = isFirst ? null : executor.joined(request);
    try {
      const { result, answered } = await shared;
      end?.(result);
      return answered ?? answerOf(isFirst ? result : retold(result, caller));
    } catch (error) {
      const originalError = error as Error;
      const failure = new GraphQLError(originalError.message, { originalError, path: [] });
      const result = { errors: [presentError(failure, caller.requestId, log)], data: null };
      end?.(result);
      return answerOf(result);
    }
  };

  const execute = async (request: Request): Promise<ExecutionResult> => {
    const result = await executor.execute(request);
    if (request.operation.operation === 'mutation') inFlight.detach();
    return result;
  };

  return {
    execute,
    async of(request) {
      const { operation, caller } = request;
      const isShared = operation.operation === 'query' && !caller.isExplained;
      return isShared ? share(request) : answerOf(await execute(request));
    },
  };
}

interface Shared {
  readonly result: ExecutionResult;
  /** Null where each request is told in words of its own. */
  readonly answered: Answered | null;
}

const sharedOf = (result: ExecutionResult): Shared => ({
  result,
  answered: result.errors ? null : answerOf(result),
});

const withDeadline = (request: Request, deadline: Deadline): Request => ({
  ...request,
  caller: { ...request.caller, deadline },
});

/** An operation that never began says so by its status. */
function answerOf({ errors, data, extensions }: ExecutionResult): Answered {
  const status = errors && data === undefined ? 400 : 200;
  return { status, text: `${JSON.stringify({ errors, data, extensions })}\n` };
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
