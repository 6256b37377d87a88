import { type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Context } from '../../graph/context.ts';
import type { ResponseMeter } from '../../graph/response-meter.ts';
import { type CallObserver, createExplainObserver, type ExplainedCall } from '../../http/call-tracing.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { presentErrors } from '../errors.ts';
import type { OperationObserver, OperationOutcome } from '../observer.ts';
import type { GraphqlRequest } from '../request.ts';
import { createCompiler } from './compiler.ts';
import type { CoerceRequestVariables } from './variable-coercion.ts';

/** Runs a query or mutation, or reads one event of a subscription, which is then the root value. */
export type RunOperation = (
  request: GraphqlRequest,
  rootValue: unknown,
  deadline: Deadline | null,
) => Promise<ExecutionResult>;

export interface OperationRunnerOptions {
  readonly schema: GraphQLSchema;
  /** Number of uses before an operation is compiled. */
  readonly compileAfter: number | 'never';
  /** Creates the meter that limits the response to a request. */
  readonly createMeter: (request: GraphqlRequest) => ResponseMeter;
  readonly observer?: OperationObserver | undefined;
  readonly log: Logger;
}

export interface OperationRunnerTools {
  readonly coerceVariables: CoerceRequestVariables;
  createRequestContext(
    request: GraphqlRequest,
    deadline: Deadline | null,
    meter: ResponseMeter,
    observers: readonly CallObserver[],
  ): Context;
}

/** Operations are interpreted at first, and compiled when they repeat. */
export function createOperationRunner(
  { schema, compileAfter, createMeter, observer, log }: OperationRunnerOptions,
  { coerceVariables, createRequestContext }: OperationRunnerTools,
): RunOperation {
  const compiler = createCompiler({ schema, compileAfter, onCompiled: observer?.operationCompiled });

  const interpret = (
    { document, operation, variables }: GraphqlRequest,
    rootValue: unknown,
    contextValue: Context,
  ) =>
    execute({
      schema,
      document,
      operationName: operation.name?.value,
      rootValue,
      contextValue,
      variableValues: variables,
    });

  return async (request, rootValue, deadline) => {
    const { document, operation, variables, caller } = request;
    const observed = observer?.operationStarted(request);
    const meter = createMeter(request);
    let result: ExecutionResult;
    try {
      const { coerced, errors } = coerceVariables(operation, variables);
      const compiled =
        coerced &&
        (compiler.get(operation, coerced) ??
          (await compiler.countUse(document, operation, coerced, caller.key)));
      const calls: ExplainedCall[] | null = caller.isExplained ? [] : null;
      const turn = meter.waitForTurn();
      if (turn) await turn;
      const observers = callObservers(observed?.watches ?? [], calls);
      const context = createRequestContext(request, deadline, meter, observers);
      result = errors
        ? { errors }
        : await (compiled?.execute(rootValue, context, coerced) ?? interpret(request, rootValue, context));
      meter.addErrors(result.errors?.length ?? 0);
      // A mutation has already taken effect: report it, however large the response.
      if (meter.failure && operation.operation !== 'mutation') throw meter.failure;
      if (compiled) result.errors?.forEach(compiled.addNodes);
      if (result.errors) result = { ...result, errors: presentErrors(result.errors, caller.requestId, log) };
      if (calls) result = { ...result, extensions: { upstream: calls } };
    } catch (error) {
      const originalError = error as Error;
      const failure = new GraphQLError(originalError.message, { originalError, path: [] });
      result = { errors: presentErrors([failure], caller.requestId, log) };
    }
    meter.release();
    observed?.end(outcomeOf(result));
    return result;
  };
}

const callObservers = (observers: readonly CallObserver[], calls: ExplainedCall[] | null) =>
  calls ? [...observers, createExplainObserver(calls)] : observers;

export const outcomeOf = ({ errors }: ExecutionResult): OperationOutcome =>
  (errors?.[0]?.extensions.code as OperationOutcome | undefined) ?? 'OK';
